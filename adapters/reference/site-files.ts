import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** The media types of the files of the site, by extension; programs are shown as text. */
const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  md: 'text/markdown',
  json: 'application/json',
  atom: 'application/atom+xml',
  css: 'text/css',
  js: 'text/javascript',
};

/** A file of the site that `npm run build` writes. */
export interface SiteFile {
  readonly name: string;
  /** The path at which it is served. */
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

/** A file by its name in the site's folder: `docs/guides.html` is served at `/docs/guides`. */
export const siteFile = (name: string, text: string): SiteFile => ({
  name,
  path: `/${name.replace(/\.html$/, '')}`,
  type: types[name.split('.').at(-1) ?? ''] ?? 'text/plain',
  text,
});

/** The program that serves the variant form next to a partner's program, in the site's folder. */
export const adapterName = 'docs/clients/artist-gateway.mjs';

/** Reads all files of the site. Throws if the folder is missing. */
export const readSite = (folder: string): readonly SiteFile[] => {
  if (!existsSync(folder)) throw new Error(`${folder} is missing: run npm run build`);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) =>
      siteFile(relative(folder, file).replaceAll(sep, '/'), readFileSync(file, 'utf8')),
    );
};
