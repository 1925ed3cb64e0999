/** Every number of the module with its reason. Tests use smaller ones. */
export const realtimePolicy = {
  /** Long enough for a slow page, short enough that a token in a log is useless. */
  tokenLifetimeMs: 60_000,
  /** Clock skew between two machines of a deployment is smaller. */
  tokenLeewayMs: 5_000,
  /** The longest valid token has 3,100 characters. AWS limits URLs to 4,096 characters, nginx to 8,192. */
  tokenMaxLength: 6_000,
  /** Up to this number, ids are listed as text; above it, they are packed into 16 bytes each. */
  tokenListedIds: 20,
  /** Above this number, the token says "all" and the handshake reads the memberships. */
  tokenMaxIds: 100,

  /** 10,000 sockets take about 256 MiB of memory. */
  maxConnections: 10_000,
  /** Tabs and devices of one person on one node. Pages hidden for five minutes disconnect. */
  maxConnectionsPerUser: 10,
  /** Handshakes that wait for the database. More of them would only wait longer. */
  maxPendingHandshakes: 1_000,
  handshakeTimeoutMs: 10_000,
  /** After a restart an office behind one address reconnects: 500 at once, then as many every five seconds. */
  handshakesPerAddress: 500,
  handshakeWindowMs: 5_000,

  /** Room for the cursors of 40 integrations. */
  maxClientMessageBytes: 4_096,
  maxClientMessagesPerSecond: 10,
  /** Fragments of one message. Without a limit, many tiny fragments pin memory. */
  maxFragments: 16,

  /** Less than the usual idle timeouts of proxies (30 s and 60 s). */
  pingEveryMs: 25_000,
  /** A pong that is late because the client does not read is the first sign of a slow client. */
  pongTimeoutMs: 10_000,
  /** Repairs changes of access whose notification was lost. */
  reconcileEveryMs: 60_000,
  /** Then the client reconnects with a new token: access is checked again, and the load spreads over the nodes. */
  maxAgeMs: 3_600_000,
  maxAgeJitter: 0.1,
  /** Interval of the check of all connections. A timer per connection would need more memory. */
  sweepEveryMs: 1_000,

  /** A client with more unsent bytes lags: it receives nothing more until they are sent. */
  lagBytes: 64 * 1024,
  lagTimeoutMs: 10_000,
  /** A usual limit of push servers. */
  maxQueuedBytes: 1024 * 1024,
  /** Unsent bytes of all connections of a node. */
  nodeBudgetBytes: 256 * 1024 * 1024,
  /** Sockets written in one turn of the event loop. A large fan-out would block webhooks in the same process for 40 ms. */
  socketsPerTurn: 256,
  /** Bytes of frames combined into one write. */
  bytesPerWrite: 256 * 1024,

  /** Missed updates that are replayed. A client that is further behind reloads its lists. */
  maxReplay: 200,
  /** Below `maxQueuedBytes`, so that a replay alone never ends its connection. */
  maxReplayBytes: 512 * 1024,
  /** A node that is further behind sends `resync` instead of every update. */
  maxCatchUp: 1_000,
  /** Integrations per statement when catching up. */
  catchUpBatch: 50,
  /** The maximum delay of an update whose notification was lost. */
  pollEveryMs: 2_000,
  /** Ids in one row scope: row-level security compares each row with each id. */
  idsPerScope: 500,

  /** Minimum time between two batches of notifications. The first one after a pause is sent at once. */
  notifyEveryMs: 5,
  /** Postgres accepts payloads of less than 8,000 bytes. */
  notifyMaxBytes: 7_900,
  /** Each pass removes what is older; at least an hour of the outbox is kept. */
  trimEveryMs: 60_000,

  heartbeatEveryMs: 5_000,
  /** Three heartbeats may fail. */
  leaseMs: 20_000,
  /** The records of a crashed node are deleted within 30 s: the lease plus one interval. */
  reapEveryMs: 10_000,
  /** Records per statement: row-level security compares each row with each id of the scope. */
  recordsPerStatement: 1_000,

  /** A draining node closes its sockets spread over this time, so that clients do not reconnect all at once. */
  drainMs: 10_000,
  drainBatches: 20,
  /** A node with few sockets drains faster, at this rate. */
  drainSocketsPerSecond: 200,
  /** The time a client has to answer a close frame. */
  closeTimeoutMs: 5_000,
};

export type RealtimePolicy = Readonly<typeof realtimePolicy>;
