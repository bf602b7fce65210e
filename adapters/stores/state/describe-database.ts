/** Names the database of a URL: its hosts and its name, without user, password and options. */
export const describeDatabase = (url: string): string => url.replace(/^([^:]+:\/\/)(?:[^/]*@)?([^?]*).*$/, '$1$2');
