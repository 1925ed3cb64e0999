import path from 'node:path';
import * as type from './setting-types.ts';
import type { Read } from './settings.ts';

/** How much is let in, and whom the service tells what: alarms, alerts, mails, logs and metrics. */
export function readOperationsSettings(read: Read, dataDir: string) {
  return {
    apiRequestsPerMinute: read({
      name: 'API_REQUESTS_PER_MINUTE',
      default: '600',
      meaning: 'requests one person may make in a minute, counted in each process; beyond it they answer 429',
      parse: type.integer(1, 1_000_000_000),
    }),
    alarmWebhookUrl: read({
      name: 'ALARM_WEBHOOK_URL',
      default: 'unset',
      meaning: 'told by POST when anything is in the dead-letter queue',
      parse: type.url('http:', 'https:'),
      secret: true,
    }),
    alarmEmail: read({
      name: 'ALARM_EMAIL',
      default: 'unset',
      meaning:
        'addresses that get a mail when anything is in the dead-letter queue, comma-separated; needs SMTP_URL',
      parse: type.mailAddresses,
    }),
    alertAllowedNetworks:
      read({
        name: 'ALERT_ALLOWED_NETWORKS',
        default: 'unset',
        meaning:
          'networks that alert webhooks may reach although private, such as `10.0.0.0/8`, comma-separated',
        parse: type.networkList,
      }) ?? [],
    alertAllowedPorts: read({
      name: 'ALERT_ALLOWED_PORTS',
      default: '443',
      meaning: 'ports that alert webhooks may reach, such as `443,8443`, comma-separated; always by https',
      parse: type.portList,
    }),
    smtpUrl: read({
      name: 'SMTP_URL',
      default: 'unset: mails are written to the log, and the event log tells that they were not sent',
      meaning: 'mail server, such as `smtps://user:password@mail.example.com`',
      parse: type.url('smtp:', 'smtps:'),
      secret: true,
    }),
    mailFrom: read({
      name: 'MAIL_FROM',
      default: 'Forgewatch <forgewatch@localhost>',
      meaning: 'sender of mails',
      parse: type.text,
    }),
    logLevel: read({
      name: 'LOG_LEVEL',
      default: 'info',
      meaning: 'least severe level that is logged',
      parse: type.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    }),
    logDir: path.resolve(
      read({
        name: 'LOG_DIR',
        default: 'unset: DATA_DIR/logs',
        meaning:
          "directory of the worker's own log, JSON lines; closed to other accounts, unless other files lie in it",
        parse: type.text,
      }) ?? path.join(dataDir, 'logs'),
    ),
    logRetentionDays: read({
      name: 'LOG_RETENTION_DAYS',
      default: '30',
      meaning: 'days the log files are kept',
      parse: type.integer(1, 3650),
    }),
    metricsPort: read({
      name: 'METRICS_PORT',
      default: 'unset',
      meaning:
        'port of a listener of its own for `/healthz`, `/readyz` and `/metrics`, without a token, in every role; keep it from the public',
      parse: type.integer(1, 65535),
    }),
    metricsHost: read({
      name: 'METRICS_HOST',
      default: '127.0.0.1',
      meaning: 'address to listen on at METRICS_PORT',
      parse: type.text,
    }),
    metricsToken: read({
      name: 'METRICS_TOKEN',
      default: 'unset: no /metrics on PORT',
      meaning: 'bearer token for `/metrics` on PORT',
      parse: type.text,
      secret: true,
    }),
  };
}
