export interface DeliveryTimes {
  from?: string | undefined;
  to?: string | undefined;
}

/** Ids from `from` on, up to `to`, which is not among them; in the order of their bytes. */
export interface IdRange {
  from: string;
  to: string;
}
