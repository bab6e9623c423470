/** In this scope only forms are parsed, as URLSearchParams, which preserve repeated names. */
import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { joinPieces } from '../join-pieces.ts';

export const FORM_LIMIT_BYTES = 64 * 1024;

export function readForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  joinPieces(scope);
  scope.register(formbody, {
    bodyLimit: FORM_LIMIT_BYTES,
    parser: (text) => new URLSearchParams(text) as unknown as Record<string, unknown>,
  });
}
