/** The requests that show that each decoy file works, one line each. */
import type { Question } from './kit/decoy.ts';

type FileQuestion = Question & Required<Pick<Question, 'tag'>>;

export const FILE_CORPUS: readonly FileQuestion[] = [
  { tag: 'dotenv-file', target: '/.env', expect: /^DB_PASSWORD=[a-z2-7]{32}$/m },
];
