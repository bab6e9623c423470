/**
 * Presets of `init`: the base URL of a service, how it takes a credential, and a narrow choice of methods
 * and paths. Each makes a target that `validate` accepts; the owner widens it.
 */
import { quoteUrl } from '../../core/config/problems.ts';

export interface Preset {
  readonly title: string;
  readonly description: string;
  readonly baseUrl: string;
  /** The path of its API on other hosts than the usual one, if it differs there. */
  readonly ownPath?: string;
  /** Whether the service also runs on other hosts, so that the base URL is asked for. */
  readonly asksBaseUrl?: true;
  /** Absent is GET alone. */
  readonly methods?: readonly string[];
  /** Of these, those that a person approves first. */
  readonly approve?: readonly string[];
  /** Below the path of the base URL; everything there where none are named. */
  readonly paths?: readonly string[];
  /** A path for `gateway try`. */
  readonly sample: string;
  /** The name of the secret; in upper case, that of the environment variable. */
  readonly secret: string;
  /** Of the environment variable, where it holds what the secret is minted from. */
  readonly variable?: string;
  /** What a minted secret is made from, as lines of the file; `$` stands for the reference. */
  readonly minted?: readonly string[];
  /** Further secrets. */
  readonly others?: Readonly<Record<string, string>>;
  /** `$` stands for the secret. Absent is a bearer token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How requests are signed, as lines of the file; `$` stands for the secret. */
  readonly sign?: readonly string[];
  /** What is to be filled in by hand. */
  readonly fillIn?: string;
  /** Where to get the credential. */
  readonly getIt: string;
}

export const PRESETS = {
  github: {
    title: 'GitHub',
    description: 'GitHub REST API: repositories, issues and pull requests, to read',
    baseUrl: 'https://api.github.com',
    ownPath: '/api/v3',
    paths: ['/user', '/repos/**', '/issues', '/search/*'],
    sample: '/user',
    secret: 'github_token',
    getIt: 'a fine-grained token, from https://github.com/settings/personal-access-tokens',
  },
  gitlab: {
    title: 'GitLab',
    description: 'GitLab REST API: projects, issues and merge requests, to read',
    baseUrl: 'https://gitlab.com/api/v4',
    asksBaseUrl: true,
    // Not `/projects/**`: `/projects/*/variables` shows the secrets of CI/CD pipelines.
    paths: [
      ...['/user', '/issues', '/merge_requests', '/projects/*'],
      ...['/projects/*/issues/**', '/projects/*/merge_requests/**', '/projects/*/repository/**'],
    ],
    sample: '/user',
    secret: 'gitlab_token',
    headers: { 'PRIVATE-TOKEN': '$' },
    getIt: 'a token with read_api, from Preferences, Access tokens',
  },
  openai: {
    title: 'OpenAI, or compatible',
    description: 'Language models: GET models; POST chat/completions, responses, embeddings',
    baseUrl: 'https://api.openai.com/v1',
    asksBaseUrl: true,
    methods: ['GET', 'POST'],
    paths: ['/models/**', '/chat/completions', '/responses', '/embeddings'],
    sample: '/models',
    secret: 'openai_api_key',
    getIt: 'a key, from https://platform.openai.com/api-keys or your own server',
  },
  stripe: {
    title: 'Stripe',
    description: 'Stripe API: customers, invoices, payments and subscriptions, to read',
    baseUrl: 'https://api.stripe.com/v1',
    paths: ['/balance', '/customers/**', '/invoices/**', '/charges/**', '/subscriptions/**'],
    sample: '/balance',
    secret: 'stripe_api_key',
    getIt: 'a restricted key that may only read, from https://dashboard.stripe.com/apikeys',
  },
  slack: {
    title: 'Slack',
    description: 'Slack Web API: channels, their history, users; POST chat.postMessage',
    baseUrl: 'https://slack.com/api',
    methods: ['GET', 'POST'],
    approve: ['POST'],
    paths: ['/conversations.list', '/conversations.history', '/users.*', '/chat.postMessage'],
    sample: '/conversations.list',
    secret: 'slack_bot_token',
    getIt: 'the bot token of an app, from https://api.slack.com/apps',
  },
  notion: {
    title: 'Notion',
    description: 'Notion API: POST search, POST data_sources/{id}/query, pages and blocks, to read',
    baseUrl: 'https://api.notion.com/v1',
    methods: ['GET', 'POST'],
    // Not `/pages/**`, which a POST to `/pages` would match: it creates a page.
    paths: [
      ...['/search', '/data_sources/*/query', '/data_sources/*', '/databases/*'],
      ...['/pages/*', '/blocks/**', '/users/**'],
    ],
    sample: '/users',
    secret: 'notion_token',
    headers: { Authorization: 'Bearer $', 'Notion-Version': '2025-09-03' },
    getIt: 'the secret of an integration, from https://www.notion.so/my-integrations',
  },
  'home-assistant': {
    title: 'Home Assistant',
    description: 'Home Assistant: GET states lists every sensor and switch, history their past',
    baseUrl: 'http://homeassistant.local:8123/api',
    asksBaseUrl: true,
    paths: ['/states/**', '/history/**', '/calendars/**'],
    sample: '/states',
    secret: 'home_assistant_token',
    getIt: 'a long-lived access token, from your profile in Home Assistant',
  },
  'google-service-account': {
    title: 'Google Calendar, with a service account',
    description: 'Google Calendar API: calendars and their events, to read',
    baseUrl: 'https://www.googleapis.com/calendar/v3',
    paths: ['/calendars/*/events/**', '/users/me/calendarList/**'],
    sample: '/users/me/calendarList',
    secret: 'google_token',
    variable: 'GOOGLE_SERVICE_ACCOUNT_KEY',
    minted: [
      'oauth2:',
      '  grant: jwt_bearer',
      '  token_url: https://oauth2.googleapis.com/token',
      '  jwt:',
      '    algorithm: RS256',
      '    key: $',
      '    claims:',
      '      iss: gateway@project.iam.gserviceaccount.com',
      '      scope: https://www.googleapis.com/auth/calendar.readonly',
    ],
    fillIn: 'the address of the service account (iss), and sub where it acts for a person',
    getIt: 'the JSON key of a service account, from https://console.cloud.google.com/iam-admin',
  },
  'microsoft-graph': {
    title: 'Microsoft Graph, as an application',
    description: 'Microsoft Graph: calendars and mail of users, to read',
    baseUrl: 'https://graph.microsoft.com/v1.0',
    paths: ['/users/*', '/users/*/calendarView', '/users/*/events/**', '/users/*/messages/**'],
    sample: '/users/ann@example.com',
    secret: 'graph_token',
    variable: 'GRAPH_CLIENT_SECRET',
    minted: [
      'oauth2:',
      '  grant: client_credentials',
      '  token_url: https://login.microsoftonline.com/common/oauth2/v2.0/token',
      '  client_id: 00000000-0000-0000-0000-000000000000',
      '  client_secret: $',
      '  client_auth: post',
      '  scope: https://graph.microsoft.com/.default',
    ],
    fillIn: 'the tenant in token_url instead of common, and client_id',
    getIt: 'the client secret of an app registration, from https://entra.microsoft.com',
  },
  'github-app': {
    title: 'GitHub, as a GitHub App',
    description: 'GitHub REST API: repositories, issues and pull requests of an app, to read',
    baseUrl: 'https://api.github.com',
    paths: ['/installation/repositories', '/repos/**', '/search/*'],
    sample: '/installation/repositories',
    secret: 'github_app_token',
    variable: 'GITHUB_APP_PRIVATE_KEY',
    minted: ['github_app:', '  app_id: 1', '  installation_id: 1', '  private_key: $'],
    fillIn: 'app_id and installation_id',
    getIt: 'the private key of a GitHub App, from https://github.com/settings/apps',
  },
  aws: {
    title: 'AWS S3, or compatible',
    description: 'S3: list a bucket and read its objects',
    baseUrl: 'https://s3.eu-central-1.amazonaws.com',
    asksBaseUrl: true,
    methods: ['GET', 'HEAD'],
    paths: ['/my-bucket/**'],
    sample: '/my-bucket/',
    secret: 'aws_secret_access_key',
    others: { aws_access_key_id: 'env:AWS_ACCESS_KEY_ID' },
    headers: {},
    sign: [
      'aws_sigv4:',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an injection template is written so
      '  access_key_id: ${aws_access_key_id}',
      '  secret_access_key: $',
      '  region: eu-central-1',
      '  service: s3',
    ],
    fillIn: 'the bucket in paths, and the region',
    getIt:
      'the secret access key of a user that may only read, from https://console.aws.amazon.com/iam',
  },
  other: {
    title: 'another API with a bearer token',
    description: 'Say here what the model finds there',
    baseUrl: 'https://api.example.com',
    asksBaseUrl: true,
    sample: '/',
    secret: 'api_token',
    getIt: 'the token of that API',
  },
} as const satisfies Readonly<Record<string, Preset>>;

/** A target may also be added later, by hand. */
export const NO_TARGET = 'none';
export const PRESET_NAMES = [...Object.keys(PRESETS), NO_TARGET];

export function presetOf(name: string): Preset | undefined {
  return Object.hasOwn(PRESETS, name) ? PRESETS[name as keyof typeof PRESETS] : undefined;
}

/** Where the credential is by default. */
export function standardReference({ secret, variable }: Preset): string {
  return `env:${variable ?? secret.toUpperCase()}`;
}

/**
 * Appends the path of the API to the base URL of a bare host, and notes a path that is probably wrong.
 * Text that is not a URL is returned as it is.
 */
export function completedBaseUrl(
  name: string,
  baseUrl: string,
): { readonly baseUrl: string; readonly note?: string } {
  const preset = presetOf(name);
  if (!preset || baseUrl === preset.baseUrl || !URL.canParse(baseUrl)) return { baseUrl };
  const url = new URL(baseUrl);
  const usual = new URL(preset.baseUrl);
  const path =
    url.hostname === usual.hostname || url.hostname.startsWith('api.')
      ? usual.pathname
      : (preset.ownPath ?? usual.pathname);
  if (path === '/' || url.pathname.replace(/\/+$/, '').endsWith(path)) return { baseUrl };
  const isBare = /^https?:\/\/[^/?#]+\/*$/i.test(baseUrl);
  if (!isBare) {
    const note = `the API of ${preset.title} usually begins at ${path}; check the base URL`;
    return { baseUrl, note };
  }
  const whole = baseUrl.replace(/\/+$/, '') + path;
  const note = `the base URL is now ${quoteUrl(whole)}, where the API of ${preset.title} begins`;
  return { baseUrl: whole, note };
}
