/** For what counts towards quotas and needs space on the disk. */
export const unlimited = {
  quotas: { take: () => undefined, correct: () => {} },
  disk: { requireSpace: () => {}, refusalFor: () => undefined },
};
