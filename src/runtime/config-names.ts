/** Checks of what was set beside the settings: names that were meant for one, and a `NODE_ENV` that was meant for production. */

/** Names that other programs give to our settings. */
const otherNames: Readonly<Record<string, string>> = {
  MONGODB_URI: 'MONGODB_URL',
  MONGO_URI: 'MONGODB_URL',
  MONGO_URL: 'MONGODB_URL',
  REDIS_URI: 'REDIS_URL',
  CATALOG_DIR: 'CATALOGUE_DIR',
  CATALOG_REFRESH_SECONDS: 'CATALOGUE_REFRESH_SECONDS',
};

/** Whether a text becomes the other by changing, adding or leaving out one letter, or by swapping two neighbours. */
const isOneLetterOff = (text: string, other: string): boolean => {
  const start = [...text].findIndex((letter, index) => letter !== other[index]);
  if (start === -1) return other.length === text.length + 1;
  const [rest, otherRest] = [text.slice(start), other.slice(start)];
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    (rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2))
  );
};

/** A variable that was meant for a setting. */
export interface MisspeltSetting {
  readonly name: string;
  readonly meant: string;
}

/** Variables that are set where a setting of nearly the same name, or with another usual name, is not. */
export const misspeltSettings = (variables: NodeJS.ProcessEnv, settings: readonly string[]): MisspeltSetting[] =>
  Object.keys(variables)
    .filter((name) => variables[name] !== '' && !settings.includes(name))
    .flatMap((name) => {
      const upper = name.toUpperCase();
      const meant = otherNames[upper] ?? settings.find((each) => each === upper || isOneLetterOff(upper, each));
      return meant === undefined || (variables[meant] ?? '') !== '' ? [] : [{ name, meant }];
    });

/** Formats what to do about a misspelt setting. */
export const formatMisspelt = ({ name, meant }: MisspeltSetting): string =>
  `${name} is set, but the setting is ${meant}: rename or remove it.`;

/** Other programs have variables with short names, so that one letter off `HOST` is no proof of a mistake. */
export const isShortName = ({ meant }: MisspeltSetting): boolean => meant.length <= 4;

/** Throws when `NODE_ENV` was meant to be `production`: without production's checks the example catalogue would be served. */
export const requireKnownMode = (mode: string | undefined): void => {
  if (mode === undefined || mode === 'production') return;
  const lower = mode.toLowerCase();
  if (!/^(prod|prd|live)/.test(lower) && !isOneLetterOff(lower, 'production')) return;
  throw new Error(`NODE_ENV is ${JSON.stringify(mode)}: write NODE_ENV=production, or leave it out for the sandbox.`);
};

/** What of a gateway is not kept in a store, in one line; `undefined` for one with both stores. */
export const describeSandbox = (config: {
  readonly mongodbUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly catalogueFolder: string | undefined;
}): string | undefined => {
  const { mongodbUrl, redisUrl, catalogueFolder } = config;
  const files = catalogueFolder === undefined ? 'the example catalogue' : `the files in ${catalogueFolder}`;
  const parts = [
    ...(mongodbUrl === undefined ? [`serves ${files} (set MONGODB_URL)`] : []),
    ...(redisUrl === undefined ? ['counts quotas in this process (set REDIS_URL)'] : []),
  ];
  return parts.length === 0 ? undefined : `Sandbox, not for production: it ${parts.join(' and ')}.`;
};
