import type { CatalogueSource, HistorySource, KeySource, QuotaStore } from '../../../src/ports.ts';

const failToAnswer = async (): Promise<never> => {
  throw new Error('store is down');
};

export const deadQuotas: QuotaStore = {
  consume: failToAnswer,
  refund: failToAnswer,
  read: failToAnswer,
};
export const deadKeys: KeySource = { load: failToAnswer };
export const deadHistory: HistorySource = { read: failToAnswer };
export const deadCatalogue: CatalogueSource & HistorySource = {
  load: failToAnswer,
  ...deadHistory,
};
