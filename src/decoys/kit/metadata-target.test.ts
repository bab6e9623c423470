import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataTarget } from './metadata-target.ts';

const AWS = '169.254.169.254';

const hits: readonly [value: string, host: string, port?: number][] = [
  ['http://169.254.169.254/latest/meta-data/', AWS],
  ['http://169.254.169.254:8080/', AWS, 8080],
  ['https://169.254.169.254/', AWS, 443],
  ['169.254.169.254/latest', AWS],
  ['169.254.169.254:80/latest', AWS],
  ['//169.254.169.254/latest', AWS],
  ['http:169.254.169.254', AWS],
  ['http://2852039166/', AWS],
  ['http://0xa9fea9fe/', AWS],
  ['http://0xa9.0xfe.0xa9.0xfe/', AWS],
  ['http://0251.0376.0251.0376/', AWS],
  ['http://169.254.43518/', AWS],
  ['http://１６９.２５４.１６９.２５４/', AWS],
  ['http://169。254。169。254/', AWS],
  ['http://169.254.169.254./', AWS],
  ['http://[::ffff:169.254.169.254]/', AWS],
  ['http://[::ffff:a9fe:a9fe]/', AWS],
  ['http://[64:ff9b::a9fe:a9fe]/', '64:ff9b::a9fe:a9fe'],
  ['http://[::a9fe:a9fe]/', '::a9fe:a9fe'],
  ['http://user:pw@169.254.169.254/', AWS],
  ['http://example.com@169.254.169.254/', AWS],
  ['http://169.254.169.254.nip.io/', AWS],
  ['http://169-254-169-254.nip.io/', AWS],
  ['http://x.169.254.169.254.nip.io/', AWS],
  ['http://a9fea9fe.nip.io/', AWS],
  ['http://169.254.169.254.sslip.io/', AWS],
  ['gopher://169.254.169.254:80/_GET', AWS],
  ['gopher://0xa9fea9fe/', AWS],
  ['HTTP://METADATA.GOOGLE.INTERNAL/computeMetadata/v1/', 'metadata.google.internal'],
  ['metadata.google.internal/computeMetadata/v1/', 'metadata.google.internal'],
  ['metadata.google.internal.:80/', 'metadata.google.internal'],
  ['http://metadata.azure.internal/metadata/instance', 'metadata.azure.internal'],
  ['http://100.100.100.200/latest', '100.100.100.200'],
  ['http://192.0.0.192/opc/v2/', '192.0.0.192'],
  ['http://[fd00:ec2::254]/latest', 'fd00:ec2::254'],
];

for (const [value, host, port] of hits) {
  test(`${value} refers to ${host}`, () => {
    const target = metadataTarget(value);
    assert.equal(target?.host, host);
    if (port !== undefined) assert.equal(target?.port, port);
  });
}

for (const value of [
  '',
  'http://example.com/',
  'http://169.254.169.253/',
  'http://169.254.169.254.example.com/',
  'http://169.254.169.254@example.com/',
  'http://example.com/?x=169.254.169.254',
  'http://example.com/169.254.169.254',
  'http://10.0.0.1.nip.io/',
  'http://metadata.google.internal.example.com/',
  '/etc/passwd',
  'file:///etc/passwd',
  'http://[',
  `http://169.254.169.254/${'a'.repeat(4_000)}`,
]) {
  test(`${value.slice(0, 60)} refers to no metadata service`, () => {
    assert.equal(metadataTarget(value), undefined);
  });
}
