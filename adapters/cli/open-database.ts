export { type Database, withDatabase } from './context.ts';
