import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoment } from './moment-format.ts';

const LATE = new Date(2026, 0, 1, 15, 4, 5, 6);

/** What moment.js 2.30 writes. */
const ROWS: [date: Date, format: string, written: string][] = [
  [LATE, 'YYYY-MM-DD', '2026-01-01'],
  [LATE, 'YYYY/MM-MMMM/YYYY-MM-DD-dddd', '2026/01-January/2026-01-01-Thursday'],
  [LATE, 'dddd, MMMM Do YYYY', 'Thursday, January 1st 2026'],
  [LATE, '[Week] w, [today is] ddd', 'Week 1, today is Thu'],
  [LATE, 'gggg-[W]ww GGGG-[W]WW', '2026-W01 2026-W01'],
  [new Date(2027, 0, 2), 'gggg-[W]ww GGGG-[W]WW E e', '2027-W01 2026-W53 6 6'],
  [new Date(2024, 11, 31), 'gggg-[W]w GGGG-[W]W DDDD DDD DDDo', '2025-W1 2025-W1 366 366 366th'],
  [new Date(2026, 10, 12), 'Do MMM YY Q Qo Mo do dd', '12th Nov 26 4 4th 11th 4th Th'],
  [new Date(2026, 10, 22), 'Do D DD M MM', '22nd 22 22 11 11'],
  [LATE, 'HH:mm:ss H h hh kk A a SSS', '15:04:05 15 3 03 15 PM pm 006'],
  [new Date(2026, 5, 1), 'h hh k kk a', '12 12 24 24 am'],
  [LATE, 'L LT', '01/01/2026 3:04 PM'],
  [LATE, 'YYYY년 MM월 DD일', '2026년 01월 01일'],
];

for (const [date, format, written] of ROWS) {
  test(`${format} is ${written}`, () => {
    assert.equal(formatMoment(date, format), written);
  });
}
