import { startPlainReceiver } from './receiver.ts';

/** The upper bound of P1: reads the body, checks the same HMAC, answers 200. */
startPlainReceiver();
