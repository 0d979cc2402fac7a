/** The state of the source that ran: which repository, which commit. */
export interface VersionControl {
  /** Address of the repository without credentials, as a browser opens it. */
  readonly repositoryUrl?: string;
  /** Where the repository lies on the disk of the run. */
  readonly rootDirectory?: string;
  /** Full id of the commit. */
  readonly revision?: string;
  /** Branch or tag. */
  readonly refName?: string;
  /** Tracked files were changed after the commit. */
  readonly isModified?: boolean;
}
