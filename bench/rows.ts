import type { Row } from './row.ts';
import { gzip } from './rows/gzip.ts';
import { notModified } from './rows/not-modified.ts';
import { page } from './rows/page.ts';
import { express, fastify } from './rows/peers.ts';

/** Everything that is measured, in the order of the table. */
export const rows: readonly Row[] = [page, fastify, express, notModified, gzip];
