import { importBuilt } from '../built.ts';

/** Loaded before the gateway's own code: the current form sends no `RateLimit` fields. */
const { currentForm } = await importBuilt('adapters/forms/current/form.js');
Object.assign(currentForm, { rateLimitFields: false });
