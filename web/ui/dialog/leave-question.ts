export interface LeaveQuestion {
  title: string;
  text: string;
  /** The button that leaves. */
  action: string;
  dismiss: string;
}

export const discardQuestion: LeaveQuestion = {
  title: 'Discard changes?',
  text: 'Your input will be lost.',
  action: 'Discard',
  dismiss: 'Keep editing',
};
