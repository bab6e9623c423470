/** `/.aws/credentials`: an INI file whose key id is a honeytoken. */
import { FileTimes, fileAnswer, TEXT_TYPE } from '../kit/answer.ts';
import { CREDENTIALS_IN_FILES } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import type { Probe } from '../kit/probe.ts';
import { awsSecretOf } from '../persona/aws-account.ts';

const TAG = 'aws-credentials';
const PATH = '/.aws/credentials';

export const awsCredentials: Kind = {
  tag: TAG,
  category: 'credential-file',
  intention: 'steal keys of a cloud account',
  technique: CREDENTIALS_IN_FILES,
  references: ['https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html'],
  corpus: [{ target: PATH, expect: /^aws_access_key_id = AKIA[A-Z2-7]{16}$/m }],
  create,
};

function create({ draw, persona, tokens }: Kit): Decoy {
  const times = new FileTimes(draw);
  return {
    methods: ['GET'],
    match: (probe) => (probe.path === PATH ? { tag: TAG, answer: () => answer(probe) } : undefined),
  };

  function answer(probe: Probe) {
    const id = tokens.issueAccessKeyId(probe.client.address);
    const body = [
      '[default]',
      `aws_access_key_id = ${id}`,
      `aws_secret_access_key = ${awsSecretOf(draw, id)}`,
      `region = ${persona.region}`,
      '',
    ].join('\n');
    return fileAnswer(probe, times, { body, type: TEXT_TYPE, honeytokens: 1 });
  }
}
