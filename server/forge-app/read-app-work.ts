import type { AppMessage, TaskMessage } from '#server/queue/messages/message.ts';
import { appEventTypes, readAppEvent } from './app-event.ts';
import type { AppWork } from './app-work.ts';

type ReadAppWork = { ok: true; work: AppWork } | { ok: false; reason: string; detail?: string };

/** The work that a message requests, or the reason why it can never be processed. */
export function readAppWork(
  message: AppMessage | TaskMessage,
  payload: unknown,
  groupId: string,
): ReadAppWork {
  if ('taskType' in message) {
    const { integrationId, installationId } = message;
    if (integrationId !== groupId)
      return { ok: false, reason: 'invalid_message', detail: 'integrationId does not match the group' };
    return { ok: true, work: { kind: 'sync', installationId, integrationId } };
  }
  const type = appEventTypes.find((each) => each === message.eventType);
  if (type === undefined) return { ok: false, reason: 'unsupported_event' };
  const read = readAppEvent(type, payload, new Date(message.receivedAt));
  if (!read.ok) return read;
  if (read.event === 'ignored') return { ok: true, work: { kind: 'nothing' } };
  if (read.event.installationId !== message.installationId)
    return { ok: false, reason: 'invalid_message', detail: 'the installation does not match the group' };
  return { ok: true, work: read.event };
}
