import { start, type SecretFormat } from './secret-format.ts';

/** A token begins with one of the anchors, unless the pattern says more. */
const token = (
  name: string,
  anchors: string | readonly string[],
  pattern: string,
  offset = 0,
): SecretFormat => {
  const literals = typeof anchors === 'string' ? [anchors] : anchors;
  return { name, anchors: literals, offset, pattern: new RegExp(start + pattern, 'y') };
};

/** A number in Base64, whose first characters are digits. */
const numberInBase64 = [...'MNO'].flatMap((first) =>
  [...'DTjz'].flatMap((second) => [...'AEIMQUYcgk'].map((third) => first + second + third)),
);

/** Tokens that the rules of `vendor-rules.json` do not have, or only in one of their forms. */
export const ownTokens: readonly SecretFormat[] = [
  token('Forgewatch token', 'fw_', 'fw_[A-Za-z0-9_]{16,}'),
  token('GitHub token in parts', ['ghs_', 'ghu_'], 'gh[su]_[A-Za-z0-9_.-]{16,}'),
  token('GitLab token', ['glrtr-', 'glwt-'], 'gl(?:rtr|wt)-[A-Za-z0-9_.-]{16,}'),
  token('PyPI token', 'pypi-', 'pypi-[A-Za-z0-9_-]{40,}'),
  token('Cargo token', 'cio', 'cio[A-Za-z0-9]{32}(?![A-Za-z0-9])'),
  token('NuGet key', 'oy2', 'oy2[a-z0-9]{43}(?![A-Za-z0-9])'),
  token('Docker token', 'dckr_', 'dckr_[a-z]{2,5}_[A-Za-z0-9_-]{20,}'),
  token('Slack token', 'xox', 'xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9.-]{10,}'),
  token('webhook secret', 'whsec_', 'whsec_[A-Za-z0-9+/=_-]{16,}'),
  token('Google access token', 'ya29.', 'ya29\\.[A-Za-z0-9_-]{20,}'),
  token('Google client secret', 'GOCSPX-', 'GOCSPX-[A-Za-z0-9_-]{20,}'),
  token('key of a language model', 'sk-', 'sk-[A-Za-z0-9_-]{20,}'),
  token('Hugging Face token', 'hf_', 'hf_[A-Za-z0-9]{30,}'),
  token('Vault recovery token', 'hvr.', 'hvr\\.[A-Za-z0-9_-]{20,}'),
  token('Atlassian token', ['ATATT3x', 'ATCTT3x'], 'AT[AC]TT3x[A-Za-z0-9_=-]{20,}'),
  token('Supabase token', 'sbp_', 'sbp_[a-f0-9]{32,}'),
  token('Supabase key', 'sb_secret_', 'sb_secret_[A-Za-z0-9_-]{20,}'),
  token('Sonar token', ['sqa_', 'sqp_', 'squ_'], 'sq[apu]_[a-f0-9]{32,}'),
  token('Sentry token', ['sntryi_', 'sntrya_'], 'sntry[ai]_[A-Za-z0-9+/=_-]{20,}'),
  token('Shopify token', 'shp', 'shp[a-z]{2}_[A-Fa-f0-9]{32,}'),
  token('Groq key', 'gsk_', 'gsk_[A-Za-z0-9]{40,}'),
  token('xAI key', 'xai-', 'xai-[A-Za-z0-9_-]{60,}'),
  token('Replicate token', 'r8_', 'r8_[A-Za-z0-9]{30,}'),
  token('NVIDIA key', 'nvapi-', 'nvapi-[A-Za-z0-9_-]{50,}'),
  token('Pinecone key', 'pcsk_', 'pcsk_[A-Za-z0-9_]{40,}'),
  token('Doppler token', 'dp.', 'dp\\.[a-z]{2,5}\\.[A-Za-z0-9._-]{30,}'),
  token('Netlify token', 'nfp_', 'nfp_[A-Za-z0-9]{30,}'),
  token('Vercel token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], 'vc[piark]_[A-Za-z0-9]{24,}'),
  token('Render key', 'rnd_', 'rnd_[A-Za-z0-9]{20,}'),
  token('Fly token', ['fm1', 'fm2_'], '(?:fm1[ar]|fm2)_[A-Za-z0-9+/=_-]{40,}'),
  token('Heroku token', 'HRKU-', 'HRKU-[A-Za-z0-9_-]{30,}'),
  token(
    'New Relic key',
    ['NRAK-', 'NRII-', 'NRIQ-', 'NRJS-', 'NRRA-'],
    'NR(?:AK|II|IQ|JS|RA)-[A-Za-z0-9_-]{19,}',
  ),
  token('Honeycomb key', 'ik_', 'hc[a-z]ik_[A-Za-z0-9]{30,}', 3),
  token(
    'Buildkite token',
    ['bkaa', 'bkat', 'bkct', 'bkpt', 'bkrt', 'bkua', 'bkgt'],
    'bk(?:aa|at|ct|pt|rt|ua|gt)_[a-f0-9]{40,}',
  ),
  token('CircleCI token', 'CCIP', 'CCI(?:PAT|PRJ)_[A-Za-z0-9]{10,40}_[a-f0-9]{40,}'),
  token('Notion token', 'ntn_', 'ntn_[A-Za-z0-9]{43,}'),
  token('Notion secret', 'secret_', 'secret_[A-Za-z0-9]{43}(?![A-Za-z0-9_])'),
  token('Figma token', 'fig', 'fig[a-z]{1,2}_[A-Za-z0-9_-]{40,}'),
  token('Tailscale key', 'tskey-', 'tskey-[a-z]{3,10}-[A-Za-z0-9_-]{10,}'),
  token('Resend key', 're_', 're_[A-Za-z0-9]{8}_(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{20,32}(?![A-Za-z0-9_])'),
  token('Brevo key', 'xsmtpsib-', 'xsmtpsib-[a-f0-9]{64}-[A-Za-z0-9]{16,}'),
  token('Square token', 'EAAA', 'EAAA[A-Za-z0-9_-]{60,}'),
  token('Square secret', 'sq0', 'sq0[a-z]{3}-[A-Za-z0-9_-]{22,}'),
  token('Dynatrace token', 'dt0', 'dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64,}'),
  token('1Password service account', 'ops_eyJ', 'ops_eyJ[A-Za-z0-9+/=_-]{50,}'),
  token('Bitbucket app password', 'ATBB', 'ATBB[A-Za-z0-9_=.-]{28,}'),
  token('Azure DevOps token', 'AZDO', '[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])', 76),
  token('Packagist token', 'packagist_', 'packagist_[a-z]{2,4}_[a-f0-9]{40,}'),
  token(
    'Discord bot token',
    numberInBase64,
    '(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5}[A-Za-z0-9_-]{3,8}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}',
  ),
  token('JSON Web Token', 'eyJ', 'eyJ[A-Za-z0-9_-]{12,}(?:\\.[A-Za-z0-9_-]*){0,4}'),
  // The number of a bot is before the colon.
  ...[8, 9, 10].map((digits) =>
    token('Telegram token', ':AA', `[0-9]{${digits}}:AA[A-Za-z0-9_-]{30,}`, digits),
  ),
];
