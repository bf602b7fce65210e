const keyTexts = /\baik_([0-9A-Za-z]{1,64})_[0-9A-Za-z]+/g;
const credentials = /(\/\/)[^/@\s]+@/g;

/** What may be shown of a text that could hold a key or a password in a URL: the key's public id, the URL's host. */
export const withoutSecrets = (text: string): string => text.replace(keyTexts, 'aik_$1_…').replace(credentials, '$1…@');
