/** `/.aws/credentials`: an INI file whose key id says who fetched it. */
import { FileTimes, fileAnswer, TEXT_TYPE } from '../kit/answer.ts';
import type { Decoy, Kit } from '../kit/decoy.ts';
import type { Probe } from '../kit/probe.ts';

const SECRET_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function awsCredentials({ draw, persona, tokens }: Kit): Decoy {
  const times = new FileTimes(draw);
  const match = { tag: 'aws-credentials' };
  return {
    methods: ['GET'],
    match: (probe) =>
      probe.path === '/.aws/credentials' ? { ...match, answer: () => answer(probe) } : undefined,
  };

  function answer(probe: Probe) {
    const id = tokens.issueAccessKeyId(probe.client.address, probe.day);
    const body = [
      '[default]',
      `aws_access_key_id = ${id}`,
      `aws_secret_access_key = ${draw.text(`aws secret ${id}`, SECRET_ALPHABET, 40)}`,
      `region = ${persona.region}`,
      '',
    ].join('\n');
    return fileAnswer(probe, times, { body, type: TEXT_TYPE, honeytokens: 1 });
  }
}
