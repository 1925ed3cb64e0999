import { createTransport } from 'nodemailer';
import type { Config } from '#platform/runtime/config.ts';
import { configuredProvider } from '#server/identity/sign-in.ts';
import { discoverProvider } from '#server/identity/provider-metadata.ts';
import { readDemoAddress } from '#server/identity-provider/demo-key.ts';
import type { Finding } from './doctor.ts';

const timeoutMs = 5000;

/** Whether people can sign in: asks the configured provider, or says which of ours they come to. */
export async function checkIdentityProvider(config: Config): Promise<Finding> {
  const check = 'identity provider';
  const configured = configuredProvider(config);
  if (configured !== undefined) {
    const failure = await discoverProvider(configured).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    if (failure === undefined) return { check, verdict: 'ok', text: configured.issuer };
    const text = `${configured.issuer} cannot be used: ${failure.message}. Check OIDC_ISSUER, and that this machine reaches it.`;
    return { check, verdict: 'wrong', text };
  }
  if (config.forgeClientId !== undefined)
    return { check, verdict: 'ok', text: `built in; people sign in at ${config.forgeUrl}` };
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

/** Whether the mail server takes our name and password; sends nothing. */
export async function checkMail({ smtpUrl }: Config): Promise<Finding> {
  const check = 'mail';
  if (smtpUrl === undefined)
    return {
      check,
      verdict: 'note',
      text: 'SMTP_URL is unset: invitations and alerts go out by other ways.',
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
    const text = `The mail server of SMTP_URL does not take us (${code ?? 'no answer'}). Check address, port, name and password.`;
    return { check, verdict: 'wrong', text };
  } finally {
    transport.close();
  }
}
