import path from 'node:path';
import * as type from './setting-types.ts';
import type { Read, SettingFault } from './setting.ts';

/** Request limit, alarms, notifications, mail, logs and metrics. */
export function readOperationsSettings(read: Read, dataDir: string) {
  return {
    apiRequestsPerMinute: read({
      name: 'API_REQUESTS_PER_MINUTE',
      default: '600',
      meaning:
        'API requests allowed per minute for each user and each API token, counted in each process; further requests get 429',
      parse: type.integer(1, 1_000_000_000),
    }),
    ...readMessageSettings(read),
    ...readLogSettings(read, dataDir),
    ...readMetricsSettings(read),
  };
}

/** Alarms, notifications and mail. */
function readMessageSettings(read: Read) {
  return {
    alarmWebhookUrl: read({
      name: 'ALARM_WEBHOOK_URL',
      default: 'unset',
      meaning: 'URL that receives a POST when the dead-letter queue is not empty',
      parse: type.url('http:', 'https:'),
      secret: true,
    }),
    alarmEmail: read({
      name: 'ALARM_EMAIL',
      default: 'unset',
      meaning:
        'comma-separated addresses that get a mail when the dead-letter queue is not empty; needs SMTP_URL',
      parse: type.mailAddresses,
    }),
    alertAllowedNetworks:
      read({
        name: 'ALERT_ALLOWED_NETWORKS',
        default: 'unset',
        meaning:
          'comma-separated private networks that alert webhooks and forges with an access token may be in, such as `10.0.0.0/8`',
        parse: type.networkList,
      }) ?? [],
    alertAllowedPorts: read({
      name: 'ALERT_ALLOWED_PORTS',
      default: '443',
      meaning:
        'comma-separated ports that alert webhooks and forges with an access token are allowed to have, such as `443,8443`',
      parse: type.portList,
    }),
    smtpUrl: read({
      name: 'SMTP_URL',
      default: 'unset: mails are written to the log, and the event log says that they were not sent',
      meaning: 'URL of the mail server, such as `smtps://user:password@mail.example.com`',
      parse: type.url('smtp:', 'smtps:'),
      secret: true,
    }),
    mailFrom: read({
      name: 'MAIL_FROM',
      default: 'Forgewatch <forgewatch@localhost>',
      meaning: 'sender address of mails',
      parse: type.text,
    }),
  };
}

function readLogSettings(read: Read, dataDir: string) {
  return {
    logLevel: read({
      name: 'LOG_LEVEL',
      default: 'info',
      meaning: 'lowest level that is logged',
      parse: type.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    }),
    logDir: path.resolve(
      read({
        name: 'LOG_DIR',
        default: 'unset: DATA_DIR/logs',
        meaning:
          "directory of the worker's log files (JSON lines); private to this account unless it also contains other files",
        parse: type.text,
      }) ?? path.join(dataDir, 'logs'),
    ),
    logRetentionDays: read({
      name: 'LOG_RETENTION_DAYS',
      default: '30',
      meaning: 'days to keep log files',
      parse: type.integer(1, 3650),
    }),
  };
}

function readMetricsSettings(read: Read) {
  return {
    metricsPort: read({
      name: 'METRICS_PORT',
      default: 'unset',
      meaning:
        'separate port that serves `/healthz`, `/readyz` and `/metrics` without a token, in every role; do not expose it publicly',
      parse: type.integer(1, 65535),
    }),
    metricsHost: read({
      name: 'METRICS_HOST',
      default: '127.0.0.1',
      meaning: 'address that METRICS_PORT listens on',
      parse: type.text,
    }),
    metricsToken: read({
      name: 'METRICS_TOKEN',
      default: 'unset: no /metrics on PORT',
      meaning: 'bearer token required for `/metrics` on PORT',
      parse: type.text,
      secret: true,
    }),
  };
}

/** Nobody would notice that alarms are not sent. */
export function alarmFaults({
  alarmEmail,
  smtpUrl,
}: {
  alarmEmail: unknown;
  smtpUrl: unknown;
}): SettingFault[] {
  if (alarmEmail === undefined || smtpUrl !== undefined) return [];
  return [{ name: 'SMTP_URL', problem: 'is unset, should be set together with ALARM_EMAIL' }];
}
