/** The operator, time and reason of a change. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: string;
  /** The command, like `keys issue`. */
  readonly action: string;
  readonly reason: string | undefined;
}

/** The changed record, and the stored members that differ. Never a key's text or hash. */
export interface AuditedChange {
  readonly keyId?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  readonly after?: Readonly<Record<string, unknown>> | undefined;
}

export type AuditRecord = AuditEntry & AuditedChange;

export interface AuditQuestion {
  readonly keyId?: string | undefined;
  readonly organizationId?: string | undefined;
  /** Maximum number of records; the newest are returned. */
  readonly limit: number;
}
