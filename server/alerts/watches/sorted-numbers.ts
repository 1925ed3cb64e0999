/** Numbers in ascending order. */
export class SortedNumbers {
  readonly #values: number[] = [];

  get size(): number {
    return this.#values.length;
  }

  /** The lower one of the two in the middle. */
  get median(): number {
    return this.#values[Math.floor((this.#values.length - 1) / 2)] ?? 0;
  }

  add(value: number): void {
    this.#values.splice(this.#placeOf(value), 0, value);
  }

  /** The value must be among the numbers. */
  remove(value: number): void {
    this.#values.splice(this.#placeOf(value), 1);
  }

  /** The first place whose number is not below `value`. */
  #placeOf(value: number): number {
    let [low, high] = [0, this.#values.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#values[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
