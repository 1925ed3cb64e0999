import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Events of the forge application that are processed. */
export const appEventTypes = ['installation', 'organization'] as const;
export type AppEventType = (typeof appEventTypes)[number];

const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Login = Type.String({ minLength: 1, maxLength: 255 });
const Account = Type.Object({ id: Id, login: Login, type: Type.Optional(Type.String({ maxLength: 50 })) });

const InstallationPayload = Type.Object({
  action: Type.String(),
  installation: Type.Object({ id: Id, account: Account }),
});
const OrganizationPayload = Type.Object({
  action: Type.String(),
  installation: Type.Object({ id: Id }),
  organization: Account,
  membership: Type.Optional(Type.Object({ user: Type.Union([Account, Type.Null()]) })),
});

export interface Account {
  id: number;
  login: string;
  type: string;
}

/** `at` is the delivery time. It orders events and API answers about the same object: the newer one wins. */
export type AppEvent = { installationId: string; account: Account; at: Date } & (
  | { kind: 'installed' | 'uninstalled' | 'suspended' | 'resumed' | 'renamed' }
  | { kind: 'member_added' | 'member_removed'; member: { id: number; login: string } }
);

/** `ignored`: valid, but nothing depends on it. */
export type ReadAppEvent =
  | { ok: true; event: AppEvent | 'ignored' }
  | { ok: false; reason: 'invalid_payload'; detail: string };

const installationPayload = Compile(InstallationPayload);
const organizationPayload = Compile(OrganizationPayload);

const installationKinds: Record<string, AppEvent['kind'] | undefined> = {
  created: 'installed',
  new_permissions_accepted: 'installed',
  deleted: 'uninstalled',
  suspend: 'suspended',
  unsuspend: 'resumed',
};
const organizationKinds: Record<string, AppEvent['kind'] | undefined> = {
  member_added: 'member_added',
  member_removed: 'member_removed',
  renamed: 'renamed',
  deleted: 'uninstalled',
};

/** Parses an event of the application. Never throws. */
export function readAppEvent(type: AppEventType, payload: unknown, at: Date): ReadAppEvent {
  if (type === 'installation') {
    if (!installationPayload.Check(payload)) return invalid(installationPayload, payload);
    const { action, installation } = payload;
    return of(kindOf(installationKinds, action), installation.id, installation.account, at);
  }
  if (!organizationPayload.Check(payload)) return invalid(organizationPayload, payload);
  const { action, installation, organization, membership } = payload;
  const kind = kindOf(organizationKinds, action);
  const account = { type: 'Organization', ...organization };
  if (kind !== 'member_added' && kind !== 'member_removed') return of(kind, installation.id, account, at);
  const member = membership?.user;
  if (member === undefined || member === null)
    return { ok: false, reason: 'invalid_payload', detail: '/membership/user is missing' };
  const { id, login } = member;
  return {
    ok: true,
    event: { kind, installationId: String(installation.id), account, at, member: { id, login } },
  };
}

function kindOf(kinds: typeof installationKinds, action: string): AppEvent['kind'] | undefined {
  return Object.hasOwn(kinds, action) ? kinds[action] : undefined;
}

function of(
  kind: AppEvent['kind'] | undefined,
  installationId: number,
  { id, login, type = 'Organization' }: Static<typeof Account>,
  at: Date,
): ReadAppEvent {
  if (kind === undefined || kind === 'member_added' || kind === 'member_removed')
    return { ok: true, event: 'ignored' };
  return {
    ok: true,
    event: { kind, installationId: String(installationId), account: { id, login, type }, at },
  };
}

function invalid(
  schema: { Errors(value: unknown): { instancePath: string; message: string }[] },
  payload: unknown,
): ReadAppEvent {
  const [error] = schema.Errors(payload);
  const detail = `${error?.instancePath || 'the payload'} ${error?.message ?? ''}`.trim();
  return { ok: false, reason: 'invalid_payload', detail };
}
