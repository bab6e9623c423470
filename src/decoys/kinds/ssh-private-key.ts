/**
 * `/.ssh/id_*`: a private key that OpenSSH reads, and `/server.key`: one that OpenSSL reads, as it exports
 * it. They open nothing; a comment holds a honeytoken, in the way in which people note a passphrase.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { FileTimes, fileAnswer, TEXT_TYPE } from '../kit/answer.ts';
import { CREDENTIALS_IN_FILES, cwe } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import type { Probe } from '../kit/probe.ts';

const TAG = 'ssh-private-key';
const NAMES = ['id_rsa', 'id_ed25519', 'id_ecdsa', 'id_dsa'];
const PATHS = new Set([
  ...['/.ssh', '', '/root/.ssh', '/ssh', '/home/ubuntu/.ssh'].flatMap((folder) =>
    NAMES.map((name) => `${folder}/${name}`),
  ),
  ...['/.ssh/id_rsa.bak', '/.ssh/id_rsa.old', '/.ssh/deploy', '/.ssh/identity', '/id_rsa.txt'],
  '/deploy.key',
]);
/** Keys of web servers and of applications that sign tokens. */
const PEM_PATHS = new Set([
  ...['/private.key', '/privatekey.key', '/server.key', '/key.pem', '/private.pem', '/privkey.pem'],
  ...['/server.pem', '/ssl.key', '/localhost.key', '/host.key', '/domain.key', '/privatekey.pem'],
  ...['/ssl/server.key', '/certs/server.key', '/ssl/private.key', '/config/jwt/private.pem'],
  ...['/jwt/private.pem', '/storage/oauth-private.key', '/oauth-private.key', '/localhost-key.pem'],
]);
/** A private key of Ed25519 in PKCS #8 is this and its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export const sshPrivateKey: Kind = {
  tag: TAG,
  category: 'credential-file',
  intention: 'steal a private key that opens a shell on other machines',
  technique: CREDENTIALS_IN_FILES,
  references: [cwe(538)],
  corpus: [
    ...['/.ssh/id_rsa', '/.ssh/id_ed25519', '/id_rsa'].map((target) => ({
      target,
      expect:
        /^-----BEGIN OPENSSH PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+-----END OPENSSH PRIVATE KEY-----\n$/,
    })),
    {
      target: '/server.key',
      expect:
        /^Bag Attributes\n.*\n.*\n-----BEGIN PRIVATE KEY-----\n.+\n-----END PRIVATE KEY-----\n$/,
    },
  ],
  create,
};

function create({ draw, persona, tokens }: Kit): Decoy {
  const times = new FileTimes(draw);
  return {
    methods: ['GET'],
    match: (probe) => {
      const write = writerOf(probe.path);
      return write && { tag: TAG, answer: () => answer(probe, write) };
    },
  };

  function answer(probe: Probe, write: Writer) {
    const sealed = tokens.seal('sshPassphrase', probe.client.address, probe.day);
    const comment = `${persona.admin.user}@${persona.company} passphrase:${sealed}`;
    const seed = draw.bytes(`ssh key ${probe.path} ${sealed}`).subarray(0, 32);
    return fileAnswer(probe, times, {
      body: write(seed, comment),
      type: TEXT_TYPE,
      honeytokens: 1,
    });
  }
}

type Writer = (seed: Buffer, comment: string) => string;

function writerOf(path: string): Writer | undefined {
  if (PATHS.has(path)) return openSshKey;
  return PEM_PATHS.has(path) ? exportedKey : undefined;
}

/** As OpenSSL writes the key of a PKCS #12 file, with the name that its owner gave it. */
function exportedKey(seed: Buffer, comment: string): string {
  return [
    'Bag Attributes',
    `    friendlyName: ${comment}`,
    'Key Attributes: <No Attributes>',
    '-----BEGIN PRIVATE KEY-----',
    Buffer.concat([PKCS8, seed]).toString('base64'),
    '-----END PRIVATE KEY-----',
    '',
  ].join('\n');
}

/** In the format of OpenSSH's PROTOCOL.key, without a passphrase. */
function openSshKey(seed: Buffer, comment: string): string {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const open = Buffer.from(x, 'base64url');
  const check = seed.subarray(0, 4);
  const kind = field('ssh-ed25519');
  const secret = [check, check, kind, field(open), field(Buffer.concat([seed, open]))];
  let inner = Buffer.concat([...secret, field(comment)]);
  const missing = (8 - (inner.length % 8)) % 8;
  inner = Buffer.concat([inner, Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, missing))]);
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[field('none'), field('none'), field(''), Buffer.from([0, 0, 0, 1])],
    field(Buffer.concat([kind, field(open)])),
    field(inner),
  ]);
  const lines = whole.toString('base64').match(/.{1,70}/g)!;
  return [
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    ...lines,
    '-----END OPENSSH PRIVATE KEY-----',
    '',
  ].join('\n');
}

/** A length and the bytes. */
function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}
