/** Rules that are left out, with the reason. */
export const leftOut: Readonly<Record<string, string>> = {
  'generic-api-key':
    'the names of secrets have formats of their own, which also read YAML, XML and sentences',
  'hashicorp-tf-password': 'the same',
  'curl-auth-header': 'the header has a format of its own',
  'curl-auth-user': 'the option has a format of its own',
  'kubernetes-secret-yaml': 'has several lines',
  'private-key': 'has several lines: private keys are found line by line',
  'nuget-config-password': 'its value has no form',
  'freemius-secret-key': 'is for files of PHP',
  'pkcs12-file': 'is for names of files',
  jwt: 'has a format of its own, which also finds cut tokens',
  'gitlab-pat-routable': 'the rule for other tokens of its kind finds all of it',
  'gitlab-runner-authentication-token-routable': 'the same',
  'jwt-base64': 'Base64 is decoded',
  'facebook-access-token': 'only another word in the file tells it from a number',
  'grafana-api-key': 'a JSON Web Token to its readers',
  'microsoft-teams-webhook': 'addresses with a secret path have a format of their own',
  'slack-webhook-url': 'the same',
  'sidekiq-sensitive-url': 'passwords in addresses have a format of their own',
  'flutterwave-public-key': 'is public',
  'discord-client-id': 'is public',
  'asana-client-id': 'is public',
  'linkedin-client-id': 'is public',
};

/** Expressions that are used instead, in the same syntax. */
export const replaced: Readonly<Record<string, string>> = {
  // Without the alternative that is any hash in a file that names Sourcegraph.
  'sourcegraph-access-token': String.raw`\b(sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40})\b`,
  // The rule is only the start of the key.
  'aws-amazon-bedrock-api-key-short-lived': String.raw`bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=_-]+`,
  // Shorter: what it leaves out costs the square of its length.
  'sentry-org-token': String.raw`\bsntrys_eyJpYXQiO[a-zA-Z0-9+/=_]{60,}`,
  // Without the tokens of old versions, which look like a method of a variable `s`.
  'vault-service-token': String.raw`\bhvs\.[\w-]{24,120}`,
  // With an escaped dot.
  'mailchimp-api-key': String.raw`(?i)[\w.-]{0,50}?(?:MailchimpSDK\.initialize|mailchimp)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}([a-f0-9]{32}-us\d\d)(?:[\x60'"\s;]|\\[nr]|$)`,
  // With a name, not with any option of the tool.
  'sonar-api-token': String.raw`(?i)[\w.-]{0,50}?(?:sonar[_.-]?(?:login|token))(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}((?:squ_|sqp_|sqa_)?[a-z0-9=_\-]{40})(?:[\x60'"\s;]|\\[nr]|$)`,
};
