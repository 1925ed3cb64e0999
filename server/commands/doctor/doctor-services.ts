import { createTransport } from 'nodemailer';
import type { Config } from '#platform/runtime/settings/config.ts';
import { readDemoAddress } from '#server/identity-provider/demo/demo-key.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { makeProviderClient } from '#server/identity/provider/client.ts';
import type { ProviderOptions } from '#server/identity/provider/metadata.ts';
import { ProviderRefusal } from '#server/identity/provider/refusal.ts';
import { callbackUrl, configuredProvider } from '#server/identity/sign-in.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 5000;

/** Checks whether users can sign in at the configured or built-in provider. */
export async function checkIdentityProvider(config: Config): Promise<Finding> {
  const check = 'identity provider';
  const configured = configuredProvider(config);
  if (configured !== undefined) return { check, ...(await tryProvider(configured, config.publicUrl)) };
  if (config.forgeClientId !== undefined)
    return { check, verdict: 'ok', text: `built in; users sign in at ${config.forgeUrl}` };
  if (config.demoSignIn) {
    const address = await readDemoAddress(config.dataDir);
    const how =
      address === undefined ? 'the server prints its address and key at start' : `open ${address} to sign in`;
    return { check, verdict: 'note', text: `built in, with the demo sign-in: ${how}` };
  }
  const text =
    'Nobody can sign in: set FORGE_CLIENT_ID and FORGE_CLIENT_SECRET, or OIDC_ISSUER and OIDC_CLIENT_ID.';
  return { check, verdict: 'wrong', text };
}

/** Requests tokens with an invalid code. A provider that refuses only the code accepts the client. */
async function tryProvider(
  configured: ProviderOptions,
  publicUrl: string,
): Promise<Pick<Finding, 'verdict' | 'text'>> {
  const { issuer } = configured;
  const client = makeProviderClient({
    ...configured,
    log: makeLog({ logLevel: 'silent' }),
    redirectUri: callbackUrl(publicUrl),
    homeUrl: publicUrl,
  });
  const metadata = await client.metadata().catch((error: unknown) => error as Error);
  if (metadata instanceof Error) {
    const text = `${issuer} cannot be used: ${metadata.message}. Check OIDC_ISSUER, and that this machine reaches it.`;
    return { verdict: 'wrong', text };
  }
  const codeVerifier = 'forgewatch-doctor'.repeat(3);
  const answer = await client.exchangeCode({
    code: 'forgewatch-doctor',
    iss: metadata.issuer,
    codeVerifier,
    nonce: undefined,
  });
  if (answer.kind === 'tokens' || answer.kind === 'refused') return { verdict: 'ok', text: issuer };
  const why = (answer.cause as Error).message;
  if (answer.cause instanceof ProviderRefusal && !answer.cause.isInvalidClient)
    return { verdict: 'ok', text: `${issuer} (${why}, for an invalid code sent by this check)` };
  const text = `${issuer} refuses to issue tokens: ${why}. Check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.`;
  return { verdict: 'wrong', text };
}

/** Checks the login at the mail server. Sends no mail. */
export async function checkMail({ smtpUrl }: Config): Promise<Finding> {
  const check = 'mail';
  if (smtpUrl === undefined)
    return {
      check,
      verdict: 'note',
      text: 'SMTP_URL is unset: invitations and notifications are not sent by mail.',
    };
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
  });
  try {
    await transport.verify();
    return { check, verdict: 'ok', text: 'the mail server answers' };
  } catch (error) {
    const { code } = error as { code?: string };
    const text = `The mail server of SMTP_URL refuses the login (${code ?? 'no answer'}). Check host, port, user and password.`;
    return { check, verdict: 'wrong', text };
  } finally {
    transport.close();
  }
}
