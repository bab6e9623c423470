/**
 * `/.git/`: a repository that `git clone` and dump tools copy over plain HTTP. Its history holds a file of
 * settings that a later commit removed, with a honeytoken and a database password.
 */
import { DAY_MS } from '../../core/time.ts';
import { type Answer, FileTimes, fileAnswer } from '../kit/answer.ts';
import { CODE_REPOSITORIES, cwe } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import { type GitFile, type GitFiles, gitFiles } from '../kit/git-objects.ts';
import type { Probe } from '../kit/probe.ts';

const TAG = 'git-repository';
const ROOT = '/.git/';
/** A mistake in settings of nginx: `location /static` with `alias /srv/static/` also serves what is beside it. */
const BESIDE = /^\/(?:assets|content|css|events|images|img|js|lib|media|static)\.\.(?=\/\.git\/)/;
/** File servers give it to names without an extension. */
const FILE_TYPE = 'application/octet-stream';
const MAX_CACHED = 64;
const OLDEST_MS = 400 * DAY_MS;

export const gitRepository: Kind = {
  tag: TAG,
  category: 'source-code',
  intention: 'copy the source and its history, and find secrets in it',
  technique: CODE_REPOSITORIES,
  references: [cwe(527)],
  corpus: [
    { target: '/.git/config', expect: /^\turl = https:\/\/[^:]+:hp_live_[a-z2-7]{32}@git\./m },
    { target: '/static../.git/config', expect: /^\turl = https:/m },
    { target: '/.git/logs/HEAD', expect: /^0{40} [0-9a-f]{40} .*commit \(initial\)/ },
    { target: '/.git/info/refs', expect: /^[0-9a-f]{40}\trefs\/heads\/main$/m },
  ],
  create,
};

function create({ draw, persona, tokens }: Kit): Decoy {
  const times = new FileTimes(draw);
  /** One copy of the repository asks for a dozen files. */
  const recent = new Map<string, GitFiles>();
  return {
    methods: ['GET'],
    match: (probe) => {
      const path = probe.path.replace(BESIDE, '');
      if (!path.startsWith(ROOT) || path.length > 120) return undefined;
      const found = repository(probe).get(path.slice(ROOT.length));
      return found && { tag: TAG, answer: () => answer(probe, found) };
    },
  };

  function answer(probe: Probe, { body, honeytokens }: GitFile): Answer {
    const file = { body, type: FILE_TYPE, honeytokens };
    return { ...fileAnswer(probe, times, file), isBinary: true };
  }

  function repository({ client, day }: Probe): GitFiles {
    const key = `${day} ${client.address.text}`;
    const known = recent.get(key);
    if (known) return known;
    const token = tokens.issue('gitToken', client.address, day);
    const password = tokens.seal('gitPassword', client.address, day);
    const age = draw.number('repository age', OLDEST_MS);
    const firstSeconds = Math.floor(persona.foundedMs / 1000 + 5 * 365 * 86_400 - age / 1000);
    const files = gitFiles({ persona, token, password, firstSeconds });
    if (recent.size >= MAX_CACHED) recent.clear();
    recent.set(key, files);
    return files;
  }
}
