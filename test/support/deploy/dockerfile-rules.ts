/** What the Dockerfile promises, and what a linter of such files asks. */
import { Findings, PORTS, PROGRAMS, type Program } from './names.ts';

export interface Stage {
  readonly name: string;
  readonly base: string;
  readonly steps: readonly { readonly word: string; readonly rest: string }[];
}

/** The stages with their steps; what a stage inherits from another one of the file comes first. */
export function stagesOf(text: string): Map<string, Stage> {
  const stages = new Map<string, Stage>();
  let steps: { word: string; rest: string }[] = [];
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines.filter(Boolean)) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (word !== 'FROM') {
      steps.push({ word, rest });
      continue;
    }
    const [base = '', , name = ''] = rest.split(' ');
    const parent = stages.get(base);
    steps = [...(parent?.steps ?? [])];
    stages.set(name, { name, base: parent?.base ?? base, steps });
  }
  return stages;
}

/** A new volume takes owner and mode of the directory in the image. */
const MAKE_DATA = 'install -d -m 700 -o 65532 -g 65532 /data';

const last = (stage: Stage, word: string) =>
  stage.steps.findLast((step) => step.word === word)?.rest;

/** The arguments of a health check or an entry point in the form that needs no shell. */
function execForm(text: string | undefined): string[] | undefined {
  const list = /\[.*\]$/.exec(text ?? '')?.[0];
  return list === undefined ? undefined : JSON.parse(list);
}

export const healthCheckOf = (stage: Stage) => execForm(last(stage, 'HEALTHCHECK'));

export function dockerfileProblems(text: string): string[] {
  const found = new Findings();
  const stages = stagesOf(text);
  for (const { name, base, steps } of stages.values()) {
    const rule = (isSo: boolean, what: string) => found.check(isSo, `${name}: ${what}`);
    rule(
      /(^node:24-|\/nodejs24-)[\w.-]+(:nonroot)?$/.test(base),
      `${base} is not pinned to Node 24`,
    );
    rule(!steps.some(({ word }) => word === 'ADD' || word === ''), 'ADD, or no instruction');
    rule(!steps.some(({ rest }) => /sudo|curl |wget |chmod 777/.test(rest)), 'fetches or loosens');
    for (const { rest } of steps.filter((step) => step.rest.includes('apt-get install'))) {
      rule(rest.includes('--no-install-recommends'), 'installs what is only recommended');
      rule(rest.includes('rm -rf /var/lib/apt/lists/*'), 'leaves package lists behind');
    }
  }
  const build =
    stages
      .get('build')
      ?.steps.map(({ rest }) => rest)
      .join('\n') ?? '';
  for (const step of ['npm ci', 'npm run build', 'npm prune --omit=dev', 'ioredis@']) {
    found.check(build.includes(step), `the build has no ${step}`);
  }
  for (const program of PROGRAMS) found.list.push(...programProblems(program, stages.get(program)));
  return found.list;
}

function programProblems(program: Program, stage: Stage | undefined): string[] {
  if (!stage) return [`${program} has no target`];
  const found = new Findings();
  const rule = (isSo: boolean, what: string) => found.check(isSo, `${program}: ${what}`);
  rule(last(stage, 'USER') === '65532:65532', 'is not 65532:65532');
  rule(last(stage, 'EXPOSE') === String(PORTS[program]), 'its port is wrong');
  const entry = execForm(last(stage, 'ENTRYPOINT'));
  rule(entry?.[1] === `/app/dist/bin/${program}.js`, 'its entry point is wrong');
  const health = healthCheckOf(stage);
  rule(health?.[0] === entry?.[0], 'its health check needs a shell, or another Node');
  rule(
    health?.at(-1)?.includes(String(PORTS[program])) === true,
    'its health check asks elsewhere',
  );
  const copies = stage.steps.filter(({ word }) => word === 'COPY');
  rule(
    copies.every(({ rest }) => rest.startsWith('--from=build /app/')),
    'copies from elsewhere',
  );
  rule(!copies.some(({ rest }) => rest.includes('--chown')), 'owns its own files');
  const hasGit = stage.steps.some(({ rest }) => /install .*\bgit\b/.test(rest));
  rule(hasGit === (program === 'notes'), 'has git, or none');
  const data = program === 'notes' ? '/data' : undefined;
  rule(last(stage, 'VOLUME') === data, 'its volume is wrong');
  const isMade = stage.steps.some(({ rest }) => rest.includes(MAKE_DATA));
  rule(isMade === (program === 'notes'), 'its data directory is wrong');
  rule(stage.base.includes('distroless') === (program !== 'notes'), 'has a shell, or none');
  return found.list;
}
