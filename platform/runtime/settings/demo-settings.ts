import { isLoopbackName } from '../processes/loopback.ts';
import type { Read, SettingFault } from './setting.ts';
import * as type from './setting-types.ts';

/** Settings that decide whether the demo sign-in is offered. Undefined when unset or invalid. */
export interface DemoConditions {
  host: string | undefined;
  publicUrl: string | undefined;
  oidcIssuer: string | undefined;
  forgeClientId: string | undefined;
}

export function readDemoSetting(read: Read): 'on' | 'off' | undefined {
  return read({
    name: 'DEMO_SIGN_IN',
    default: 'unset: on for a local trial only',
    meaning:
      '`off` disables the demo sign-in. It is only available while HOST and PUBLIC_URL are loopback and neither OIDC_ISSUER nor FORGE_CLIENT_ID is set; otherwise `on` is an error',
    parse: type.oneOf('on', 'off'),
  });
}

/** True for a local trial: the server listens only on loopback and no other way to sign in is configured. */
export function canOfferDemo({ host, publicUrl, oidcIssuer, forgeClientId }: DemoConditions): boolean {
  return (
    oidcIssuer === undefined &&
    forgeClientId === undefined &&
    isLoopbackName(host ?? '') &&
    URL.canParse(publicUrl ?? '') &&
    isLoopbackName(new URL(publicUrl ?? '').hostname)
  );
}

/** Reports `on` where the demo sign-in is not available, so that the operator notices it at start. */
export function demoFaults(setting: 'on' | 'off' | undefined, conditions: DemoConditions): SettingFault[] {
  if (setting !== 'on' || canOfferDemo(conditions)) return [];
  const problem =
    'is "on", should be unset or "off" here: the demo sign-in needs HOST and PUBLIC_URL on loopback, and OIDC_ISSUER and FORGE_CLIENT_ID unset';
  return [{ name: 'DEMO_SIGN_IN', problem }];
}
