import type { Ask, Reply } from './asking.ts';

/** Asks the same question once only: quotas are scarce, and many cases are held against the same list. */
export interface Memory {
  readonly ask: Ask;
  /** Asks everything anew from here on. */
  forget(): void;
}

export const createMemory = (ask: Ask): Memory => {
  const replies = new Map<string, Promise<Reply>>();
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
