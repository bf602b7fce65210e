/** The operator, time and reason of a change. */
export interface AuditEntry {
  /** Epoch milliseconds; `NaN` for a stored record without a date. */
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

export interface AuditQuery {
  readonly keyId?: string | undefined;
  readonly organizationId?: string | undefined;
  /** Maximum number of records; the newest are returned. */
  readonly limit: number;
}

/** The access of a stored key or organization, even if the rest of its document is not readable. */
export interface StoredAccess {
  /**
   * The partner of a key, or the name of an organization. `undefined`, like the next field, if it
   * is not a text.
   */
  readonly name: string | undefined;
  readonly organizationId: string | undefined;
  readonly ended: string | undefined;
  /** Ends the access, at the entry's time. Rejects if it was ended or removed in the meantime. */
  end(entry: AuditEntry): Promise<void>;
}
