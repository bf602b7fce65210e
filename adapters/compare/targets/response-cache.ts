import type { ReceivedResponse, SendRequest } from '../cases/send-request.ts';

/** Asks the same question once only: quotas are scarce, and many cases are held against the same list. */
export interface ResponseCache {
  readonly ask: SendRequest;
  /** Asks everything anew from here on. */
  forget(): void;
}

export const createResponseCache = (ask: SendRequest): ResponseCache => {
  const replies = new Map<string, Promise<ReceivedResponse>>();
  return {
    ask(request) {
      const { form, key, method, path, headers } = request;
      const text = JSON.stringify([form, key, method, path, headers]);
      const reply = replies.get(text) ?? ask(request);
      replies.set(text, reply);
      return reply;
    },
    forget: () => replies.clear(),
  };
};
