import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '#platform/runtime/settings/config.ts';
import { nearMisses } from '#platform/runtime/settings/near-misses.ts';
import { isLoopbackName } from '#platform/runtime/processes/loopback.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Finding } from './finding.ts';

const site = path.join(import.meta.dirname, '../../../dist/web/index.html');

type Settings = Pick<
  Config,
  | 'publicUrl'
  | 'trustedProxies'
  | 'signInBinding'
  | 'metricsPort'
  | 'metricsToken'
  | 'alarmWebhookUrl'
  | 'alarmEmail'
>;

/** Checks combinations of valid settings. */
export function checkSettings(config: Settings): Finding[] {
  return [
    existsSync(site)
      ? { check: 'web app', verdict: 'ok', text: 'built' }
      : { check: 'web app', verdict: 'wrong', text: 'not built. Run: npm run build' },
    checkAddress(config),
    checkBinding(config),
    checkMetrics(config),
    checkAlarm(config),
  ];
}

function checkAddress({ publicUrl, trustedProxies }: Settings): Finding {
  const check = 'public address';
  const { protocol, hostname } = new URL(publicUrl);
  if (isLoopbackName(hostname)) {
    const text = `${publicUrl} can only be reached from this machine. Set PUBLIC_URL and HOST if the forge runs elsewhere.`;
    return { check, verdict: 'note', text };
  }
  if (protocol === 'http:') {
    const text = `${publicUrl}: sessions require HTTPS. Run Forgewatch behind a TLS-terminating proxy, and set PUBLIC_URL to its https:// URL.`;
    return { check, verdict: 'wrong', text };
  }
  if (trustedProxies.length === 0) {
    const text = `${publicUrl} is served by a proxy, but TRUSTED_PROXIES is unset: all its clients share the rate limits of one address.`;
    return { check, verdict: 'note', text };
  }
  return { check, verdict: 'ok', text: publicUrl };
}

function checkBinding({ signInBinding }: Settings): Finding {
  const check = 'sign-in';
  if (signInBinding === 'strict')
    return { check, verdict: 'ok', text: 'only the browser that started a sign-in can complete it' };
  const text =
    'SIGN_IN_BINDING is compat: a link can sign a visitor in as an attacker. Set it to strict, unless your own client builds the authorize URL.';
  return { check, verdict: 'note', text };
}

function checkMetrics({ metricsPort, metricsToken }: Settings): Finding {
  const check = 'metrics';
  if (metricsPort === undefined && metricsToken === undefined)
    return { check, verdict: 'note', text: 'not served: METRICS_TOKEN and METRICS_PORT are unset' };
  const places = [
    ...(metricsToken === undefined ? [] : ['on PORT with METRICS_TOKEN']),
    ...(metricsPort === undefined ? [] : ['on METRICS_PORT']),
  ];
  return { check, verdict: 'ok', text: `served ${places.join(' and ')}` };
}

function checkAlarm({ alarmWebhookUrl, alarmEmail }: Settings): Finding {
  const check = 'alarm';
  if (alarmEmail !== undefined || alarmWebhookUrl !== undefined)
    return { check, verdict: 'ok', text: 'sent to the configured receivers' };
  const text =
    'ALARM_WEBHOOK_URL and ALARM_EMAIL are unset: dead letters are only reported in the log and the metrics.';
  return { check, verdict: 'note', text };
}

/** The version of this command, which may be newer than what runs. */
function checkProgram(running: string | undefined): Finding {
  const check = 'version';
  const { version } = packageJson;
  if (running === undefined || running === version)
    return { check, verdict: 'ok', text: `Forgewatch ${version}, Node ${process.versions.node}` };
  const text = `This command is Forgewatch ${version}, but the running serve is ${running}: restart it, or run the command of its version.`;
  return { check, verdict: 'wrong', text };
}

/** Which settings the other checks speak of, and variables that were meant to be settings. */
export function checkEnvironment(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  running: { pid: number; version: string } | undefined,
): Finding[] {
  const check = 'settings';
  const text =
    running === undefined
      ? `read from the environment of this command; no serve runs on ${dataDir}`
      : `read from the environment of this command, except PUBLIC_URL and WEB_ORIGINS, which are those of the running serve (process ${running.pid}). Run doctor with the environment of the service.`;
  return [
    checkProgram(running?.version),
    { check, verdict: 'note', text },
    ...nearMisses(env).map(({ given, meant }) => ({
      check,
      verdict: 'wrong' as const,
      text: `${given} is no setting and has no effect. Was ${meant} meant?`,
    })),
  ];
}
