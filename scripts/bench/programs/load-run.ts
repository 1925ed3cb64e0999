import type { LoadCommand, LoadSummary } from '../load.ts';
import { percentile } from '../pairs.ts';
import { connectAll, type Connection } from './connections.ts';
import type { WebhookSource } from './webhook-source.ts';

/** Resolution of timers. A request that is sent later than this counts from its scheduled time. */
const timerGrainMs = 2;
/** Time to wait for responses after the last request. */
const patienceMs = 20_000;

/** One measurement. Times are from `performance.now()`. */
export class LoadRun {
  readonly #command: LoadCommand;
  readonly #source: WebhookSource;
  readonly #idle: Connection[] = [];
  /** Scheduled requests that wait for a connection. */
  readonly #due: number[] = [];
  readonly #latencies: number[] = [];
  readonly #sentAt: Record<string, number> = {};
  readonly #finished = Promise.withResolvers<void>();
  #startAt = 0;
  #endAt = 0;
  #lastAnswerAt = 0;
  #scheduled = 0;
  #inFlight = 0;
  #inWindow = 0;
  #failed = 0;

  constructor(command: LoadCommand, source: WebhookSource) {
    this.#command = command;
    this.#source = source;
  }

  async run(): Promise<LoadSummary> {
    const { port, connections: count, rate, seconds } = this.#command;
    const connections = await connectAll(port, count, {
      onAnswer: (connection, from, isAccepted) => this.#onAnswer(connection, from, isAccepted),
      onLost: () => this.#onLost(),
    });
    const cpu = process.cpuUsage();
    this.#startAt = performance.now();
    this.#endAt = this.#startAt + seconds * 1000;
    if (rate === undefined) {
      for (const connection of connections) this.#send(connection, this.#startAt);
    } else {
      this.#idle.push(...connections);
      this.#arrive(rate);
    }
    const last = setTimeout(this.#finished.resolve, seconds * 1000 + patienceMs);
    await this.#finished.promise;
    clearTimeout(last);
    for (const connection of connections) connection.close();
    const { user, system } = process.cpuUsage(cpu);
    return { ...this.#summary(), cpuMicros: user + system };
  }

  #summary(): Omit<LoadSummary, 'cpuMicros'> {
    return {
      rate: this.#inWindow / this.#command.seconds,
      answered: this.#latencies.length,
      failed: this.#failed + this.#inFlight + this.#due.length,
      seconds: (this.#lastAnswerAt - this.#startAt) / 1000,
      p50: percentile(this.#latencies, 0.5),
      p99: percentile(this.#latencies, 0.99),
      sentAt: this.#sentAt,
    };
  }

  /** Requests start on schedule even when the server is busy. The wait for a connection is part of the latency. */
  #arrive(rate: number): void {
    const now = performance.now();
    const gapMs = 1000 / rate;
    for (;;) {
      const dueAt = this.#startAt + this.#scheduled * gapMs;
      if (dueAt > now || dueAt >= this.#endAt) break;
      this.#scheduled += 1;
      const from = now - dueAt <= timerGrainMs ? now : dueAt;
      // In turn, so that no connection idles until the server closes it.
      const connection = this.#idle.shift();
      if (connection === undefined) this.#due.push(from);
      else this.#send(connection, from);
    }
    if (now < this.#endAt) setTimeout(() => this.#arrive(rate), 1);
    else this.#finishWhenDone(now);
  }

  #send(connection: Connection, from: number): void {
    const { kind = 'repeated', isTraced = false } = this.#command;
    const template = this.#source.next(kind);
    this.#inFlight += 1;
    if (isTraced) this.#sentAt[`${template.integrationId}/${template.jobId}`] = monotonicMs();
    connection.send(template, from);
  }

  #onAnswer(connection: Connection, from: number, isAccepted: boolean): void {
    const now = performance.now();
    this.#inFlight -= 1;
    this.#lastAnswerAt = now;
    this.#latencies.push(now - from);
    if (!isAccepted) this.#failed += 1;
    if (now <= this.#endAt) this.#inWindow += 1;
    const waiting = this.#due.shift();
    if (waiting !== undefined) this.#send(connection, waiting);
    else if (this.#command.rate === undefined && now < this.#endAt) this.#send(connection, now);
    else this.#idle.push(connection);
    this.#finishWhenDone(now);
  }

  /** The connection's open request stays in flight and counts as failed. */
  #onLost(): void {
    this.#failed += 1;
  }

  #finishWhenDone(now: number): void {
    if (this.#inFlight === 0 && this.#due.length === 0 && now >= this.#endAt) this.#finished.resolve();
  }
}

/** The clock that all processes of a machine share. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
