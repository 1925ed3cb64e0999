/** Every number of live updates with its reason. Tests pass shorter ones. */
export const realtimePolicy = {
  /** A ticket for one handshake: long enough for a slow page, short enough to be worthless in a log. */
  tokenLifetimeMs: 60_000,
  /** Clocks of two machines of one deployment differ by less. */
  tokenLeewayMs: 5_000,
  /** The longest token that is minted has 3,100 characters; AWS's limit of an address is 4,096, nginx's 8,192. */
  tokenMaxLength: 6_000,
  /** Up to here ids are listed as they are read; above, packed to 16 bytes each. */
  tokenListedIds: 20,
  /** Above, the token says "all" and membership is read at the handshake. */
  tokenMaxIds: 100,

  /** 10,000 sockets take about 256 MiB with all that belongs to them. */
  maxConnections: 10_000,
  /** Tabs and devices of one person on one node; pages that were hidden for five minutes leave by themselves. */
  maxConnectionsPerUser: 10,
  /** Handshakes that wait for the database; more of them only wait longer. */
  maxPendingHandshakes: 1_000,
  handshakeTimeoutMs: 10_000,
  /** An office behind one address reconnects after a restart: 500 at once, then 100 a second. */
  handshakeBurstPerAddress: 500,
  handshakesPerSecondPerAddress: 100,
  /** Addresses remembered at once; the rest of a flood shares one bucket. */
  maxAddresses: 50_000,

  /** Clients send a few words: cursors of 40 integrations fit. */
  maxClientMessageBytes: 4_096,
  maxClientMessagesPerSecond: 10,
  /** Fragments of one message; more of them only pin memory. */
  maxFragments: 16,

  /** Below common idle limits of proxies (30 s and 60 s). */
  pingEveryMs: 25_000,
  /** A pong queued behind data that the client does not read is the first sign of a slow client. */
  pongTimeoutMs: 10_000,
  /** Changes of access are announced; this makes up for announcements that were lost. */
  reconcileEveryMs: 60_000,
  /** Then the client comes back with a fresh token: it is checked again, and nodes balance out. */
  maxAgeMs: 3_600_000,
  maxAgeJitter: 0.1,
  /** How often timers of all connections are looked at; a timer per connection would cost more memory. */
  sweepEveryMs: 1_000,

  /** More than this unsent: the client lags and is sent nothing until it has caught up. */
  lagBytes: 64 * 1024,
  lagTimeoutMs: 10_000,
  /** The common limit of push servers. */
  maxQueuedBytes: 1024 * 1024,
  /** Unsent bytes of all connections of a node. */
  nodeBudgetBytes: 256 * 1024 * 1024,
  /** Written in one turn, so that a large fan-out does not hold up webhooks in the same process for 40 ms. */
  socketsPerTurn: 256,
  /** Frames joined into one write. */
  bytesPerWrite: 256 * 1024,

  /** Missed updates that are replayed; a client further behind reads its lists again. */
  maxReplay: 200,
  /** Below `maxQueuedBytes`, so that a replay never makes its client a slow one. */
  maxReplayBytes: 512 * 1024,
  /** A node further behind than this tells its clients to read again instead of passing on every step. */
  maxCatchUp: 1_000,
  /** Integrations read in one statement when catching up. */
  catchUpBatch: 50,
  /** Push is late by this much at most when a notification is lost. */
  pollEveryMs: 2_000,
  /** Ids in one row scope: the policy compares each row with each id. */
  idsPerScope: 500,

  /** Two flushes of notifications are at least this far apart; the first after a pause goes at once. */
  notifyEveryMs: 5,
  /** Postgres refuses payloads of 8,000 bytes and more. */
  notifyMaxBytes: 7_900,
  /** At least an hour of the outbox stays; each pass empties what is older. */
  trimEveryMs: 60_000,

  heartbeatEveryMs: 5_000,
  /** Three heartbeats may be lost. */
  leaseMs: 20_000,
  /** A crashed node's records are gone after lease and one pass: 30 s. */
  reapEveryMs: 10_000,
  /** Records in one statement: the policy compares each row with each id of the scope. */
  recordsPerStatement: 1_000,

  /** At a restart clients leave spread over this time, so that they do not all reconnect at once. */
  drainMs: 10_000,
  drainBatches: 20,
  /** A small installation drains faster: at most this many sockets a second are worth waiting for. */
  drainSocketsPerSecond: 200,
  /** How long a client may take to answer a close. */
  closeTimeoutMs: 5_000,
};

export type RealtimePolicy = Readonly<typeof realtimePolicy>;
