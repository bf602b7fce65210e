import { withoutSecrets } from '../../../adapters/process/standard-error.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'note' | 'fail';
  readonly found: string;
  readonly advice?: string;
}

export const ok = (check: string, found: string): Finding => ({
  check,
  state: 'ok',
  found: withoutSecrets(found),
});

const withAdvice =
  (state: Finding['state']) =>
  (check: string, found: string, advice: string): Finding => ({
    check,
    state,
    found: withoutSecrets(found),
    advice: withoutSecrets(advice),
  });

export const warning = withAdvice('note');
export const fail = withAdvice('fail');
