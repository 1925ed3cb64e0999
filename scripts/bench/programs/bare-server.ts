import { startPlainReceiver } from './plain-receiver.ts';

/** The round trip of P7: reads the body, checks the same HMAC, answers 200. */
startPlainReceiver();
