import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { giveBytes } from '../../test/support/http/byte-by-byte.ts';
import { collectGarbage } from '../core/garbage.ts';
import { BodyBudget } from './body-budget.ts';
import { receiveBody } from './receive-body.ts';

const PIECES = 2_000;

test('what comes byte by byte is kept as its bytes', async () => {
  const request = Object.assign(new EventEmitter(), {
    headers: { 'content-type': 'application/json' },
  });
  const place = new BodyBudget().reservation('ada', () => {});
  const taken = new Promise<Buffer>((resolve, reject) =>
    receiveBody(request as unknown as IncomingMessage, place, resolve, reject),
  );
  const pieces = giveBytes(PIECES, (piece) => request.emit('data', piece));
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const kept = pieces.filter((piece) => piece.deref() !== undefined).length;
  assert.ok(kept < PIECES / 10, `${kept} pieces are kept`);
  request.emit('end');
  assert.equal((await taken).toString(), '0123456789'.repeat(PIECES / 10));
});
