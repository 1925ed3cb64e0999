import { isLoopbackName } from '../loopback.ts';
import type { Read, SettingFault } from './settings.ts';
import * as type from './setting-types.ts';

/** What decides whether the demo sign-in can be offered. Undefined where the setting is wrong or unset. */
export interface DemoConditions {
  host: string | undefined;
  publicUrl: string | undefined;
  oidcIssuer: string | undefined;
  forgeClientId: string | undefined;
}

export function readDemoSetting(read: Read): 'on' | 'off' | undefined {
  return read({
    name: 'DEMO_SIGN_IN',
    default: 'unset: on only in a trial on one machine',
    meaning:
      '`off` never offers the demo sign-in. It is offered only while HOST and PUBLIC_URL are loopback and neither OIDC_ISSUER nor FORGE_CLIENT_ID is set; `on` anywhere else stops the start',
    parse: type.oneOf('on', 'off'),
  });
}

/** Whether this is a trial on one machine: it listens on loopback, and people cannot sign in any other way. */
export function canOfferDemo({ host, publicUrl, oidcIssuer, forgeClientId }: DemoConditions): boolean {
  return (
    oidcIssuer === undefined &&
    forgeClientId === undefined &&
    isLoopbackName(host ?? '') &&
    URL.canParse(publicUrl ?? '') &&
    isLoopbackName(new URL(publicUrl ?? '').hostname)
  );
}

/** An operator who asks for the demo sign-in where it is not offered learns that before somebody relies on it. */
export function demoFaults(setting: 'on' | 'off' | undefined, conditions: DemoConditions): SettingFault[] {
  if (setting !== 'on' || canOfferDemo(conditions)) return [];
  const problem =
    'is "on", should be unset or "off" here: the demo sign-in needs HOST and PUBLIC_URL on loopback, and OIDC_ISSUER and FORGE_CLIENT_ID unset';
  return [{ name: 'DEMO_SIGN_IN', problem }];
}
