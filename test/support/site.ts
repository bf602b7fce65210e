import { makeSite } from '../../scripts/pages/site.ts';
import { filledTexts } from './reference.ts';

/** The site as the sources make it, without the programs that partners download. */
export const site = makeSite([]);

/** Its texts in a sandbox. */
export const siteTexts = filledTexts(site);

/** The text of one file. Throws if the site has none at this path. */
export const siteText = (path: string, texts = siteTexts): string => {
  const text = texts.get(path);
  if (text === undefined) throw new Error(`The site has no ${path}.`);
  return text;
};
