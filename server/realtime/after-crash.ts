/**
 * What each connection of the worker begins with, see migrations/0024_crash.sql: after a crash numbers of updates that
 * the database has forgotten would be given out again, so the counters begin under another epoch.
 */
export const beginStreamsAnew = 'select begin_streams_anew_after_crash()';
