import { randomUUID } from 'node:crypto';
import { pageSize, type Shortlist } from './pages.ts';

/** The same answer as the gateway's, as one would write it: documents in memory, and what is new in each request. */
export const answerPage = ({ documents, cursors }: Shortlist, index: number) => {
  const data = documents.slice(index * pageSize, (index + 1) * pageSize);
  return {
    data,
    meta: {
      api_version: 'v1',
      count: data.length,
      next_cursor: cursors[index] ?? null,
      generated_at: new Date().toISOString(),
      request_id: randomUUID(),
    },
  };
};
