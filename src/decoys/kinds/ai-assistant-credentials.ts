/**
 * Credentials files of coding assistants, in any directory: the OAuth access token, the refresh
 * token and the client secret are honeytokens, each a different one.
 */

import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import { FileTimes, fileAnswer, JSON_TYPE } from '../kit/answer.ts';
import { CREDENTIALS_IN_FILES, cwe } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import { oncePerDay } from '../kit/once-per-day.ts';
import type { Probe } from '../kit/probe.ts';

const TAG = 'ai-assistant-credentials';
const FILE = 'credentials.json';
const SCOPES = ['user:inference', 'user:profile', 'user:sessions:claude_code', 'user:mcp_servers'];
const REFRESH_DAYS = 30;

export const aiAssistantCredentials: Kind = {
  tag: TAG,
  category: 'credential-file',
  intention: 'steal the sign-in of a coding assistant',
  technique: CREDENTIALS_IN_FILES,
  references: [cwe(538)],
  corpus: ['/.assistant-a/.credentials.json', '/.config/assistant-a/credentials.json'].map(
    (target) => ({ target, expect: /"accessToken": "hp_live_[a-z2-7]{32}"/ }),
  ),
  create,
};

function create({ draw, persona, tokens }: Kit): Decoy {
  const times = new FileTimes(draw);
  const expiries = oncePerDay((day) => {
    const hours = 2 + draw.number(`token hours ${day}`, 8);
    const withinHourMs = draw.number(`token ms ${day}`, HOUR_MS);
    const expiresAt = (day + 1) * DAY_MS + hours * HOUR_MS + withinHourMs;
    const withinDayMs = draw.number(`refresh ms ${day}`, DAY_MS);
    return { expiresAt, refreshTokenExpiresAt: expiresAt + REFRESH_DAYS * DAY_MS + withinDayMs };
  });
  return {
    methods: ['GET'],
    match: (probe) => {
      const { path } = probe;
      if (!path.endsWith(FILE)) return undefined;
      const isBare = path.endsWith(`/${FILE}`);
      if (!isBare && !path.endsWith(`/.${FILE}`)) return undefined;
      return { tag: TAG, answer: () => answer(probe, isBare) };
    },
  };

  function answer(probe: Probe, isBare: boolean) {
    const { day, client } = probe;
    const file = {
      claudeAiOauth: {
        accessToken: tokens.issue('accessToken', client.address, day),
        refreshToken: tokens.issue('refreshToken', client.address, day),
        ...expiries(day),
        scopes: SCOPES,
        subscriptionType: persona.subscription,
        rateLimitTier: persona.rateLimitTier,
      },
      ...(isBare && { installed: installed(probe) }),
    };
    const body = `${JSON.stringify(file, null, 2)}\n`;
    return fileAnswer(probe, times, { body, type: JSON_TYPE, honeytokens: isBare ? 3 : 2 });
  }

  /** What the files of desktop OAuth clients are made of. */
  function installed({ client, day }: Probe): object {
    const accounts = `https://accounts.${persona.domain}`;
    const project = draw.text('client project', '0123456789', 12);
    const suffix = draw.text('client id', 'abcdefghijklmnopqrstuvwxyz0123456789', 32);
    return {
      client_id: `${project}-${suffix}.apps.${persona.domain}`,
      project_id: `${persona.company}-${project.slice(0, 6)}`,
      auth_uri: `${accounts}/o/oauth2/auth`,
      token_uri: `${accounts}/o/oauth2/token`,
      client_secret: tokens.issue('clientSecret', client.address, day),
      redirect_uris: ['http://localhost'],
    };
  }
}
