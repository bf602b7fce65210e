import { z } from 'zod';
import { groupBy } from '../../../src/domain/groups.ts';
import { comparedForms } from '../../migration/mapping/forms.ts';
import { CaseSkipped } from '../cases/cases.ts';
import { requestIdentity, type SendRequest } from '../cases/send-request.ts';
import { keyKinds } from '../targets/ephemeral-keys.ts';

const text = z.string();

const exchange = z.object({
  request: z.object({
    form: z.enum(comparedForms),
    key: z.enum(keyKinds),
    method: text,
    path: text,
    headers: z.record(text, text).readonly(),
  }),
  reply: z.object({ status: z.int(), headers: z.record(text, text).readonly(), text }),
});

/**
 * The replies of one gateway to the cases of a run in one form, and what the requests were made of.
 */
export const recordingSchema = z.object({
  form: z.enum(comparedForms),
  gateway: text,
  /** The gateway's time, an ISO 8601 instant. */
  now: text,
  /** Identifiers and names of the artists in the requests. */
  artists: z.array(z.object({ id: text, name: text, tier: text.exactOptional() })),
  exchanges: z.array(exchange),
});

export type Recording = z.infer<typeof recordingSchema>;

/**
 * Answers with the recorded replies; the replies to equal requests in the order they were recorded,
 * the last one repeatedly.
 */
export const replayRecording = ({ exchanges }: Recording): SendRequest => {
  const replies = groupBy(exchanges, ({ request }) => requestIdentity(request));
  return async (request) => {
    const recorded = replies.get(requestIdentity(request));
    if (recorded === undefined) {
      throw new CaseSkipped(`the recording has no reply to ${request.method} ${request.path}`);
    }
    const [{ reply }] = recorded;
    if (recorded.length > 1) recorded.shift();
    return reply;
  };
};

/** Sends requests and keeps them with their replies. */
export const recordExchanges =
  (send: SendRequest, exchanges: Recording['exchanges']): SendRequest =>
  async (request) => {
    const reply = await send(request);
    exchanges.push({ request, reply });
    return reply;
  };
