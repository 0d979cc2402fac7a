import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';

import {
  type ChannelConfig,
  type ChannelRecord,
  CONFIG_FILE,
  MODE_ENDED,
  MODE_RECORDS_LOST,
  RECORDS_FILE,
} from './contract.js';
import { parseRecord } from './parse-record.js';

/** The CLI's end of the channel. */
export interface RecordReader {
  /** Also reads what is appended to this file, and closes it in the end. `change` is applied to its records. */
  add(descriptor: number, change?: (record: ChannelRecord) => ChannelRecord): void;
  /** Nothing more is appended to this file soon: it is closed when it has been read. */
  finish(descriptor: number): void;
  /** The records that were appended since the last call. Of very many, some are left for the next call. */
  read(): ChannelRecord[];
  /** What the last call of `read` has left for the next one, bytes: not what a process has written since. */
  readonly unreadBytes: number;
  /** Lines that are no records. */
  readonly droppedCount: number;
  /** Whether a process could not write a record, because the disk is full. */
  hasLostRecords(): boolean;
  close(): void;
}

const CHUNK_BYTES = 1024 * 1024;
/** Bytes that one call reads of a file: at ten calls a second, more than any program writes that is not hostile. */
const MAX_READ_BYTES = 4 * CHUNK_BYTES;
/** Characters of a line. The longest records, with the samples of a block, have 100,000. */
const MAX_LINE = CHUNK_BYTES;

/** A process that is left writes its last records within this time, ms. */
const FINISHED_MS = 5000;

/**
 * Writes the configuration and an empty file of records into the directory, and opens the file for reading. When the reader
 * is closed, who still writes to the file learns it.
 */
export function createChannel(directory: string, config: ChannelConfig): RecordReader {
  const file = path.join(directory, RECORDS_FILE);
  writeFileSync(path.join(directory, CONFIG_FILE), JSON.stringify(config));
  writeFileSync(file, '', { mode: 0o600 });
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const reader = createRecordReader(() => {
    try {
      fchmodSync(descriptor, MODE_ENDED);
    } catch {
      // A file system without such modes: who still writes is not told.
    }
  });
  reader.add(descriptor);
  return reader;
}

/** Reads the files that are added to it. Their content may be hostile. */
export function createRecordReader(beforeClose?: () => void): RecordReader {
  let files: readonly RecordsOfFile[] = [];
  /** Of the files that are closed. */
  let closedDroppedCount = 0;
  let hasClosedLost = false;
  const closeFinished = (): void => {
    for (const file of files.filter(({ isRead }) => isRead)) {
      closedDroppedCount += file.droppedCount;
      hasClosedLost ||= file.hasLostRecords();
      file.close();
      files = files.filter((other) => other !== file);
    }
  };
  return {
    add(descriptor, change) {
      files = [...files, new RecordsOfFile(descriptor, change)];
    },
    finish(descriptor) {
      files.find((file) => file.descriptor === descriptor)?.finish();
    },
    read() {
      const records = files.flatMap((file) => file.read());
      closeFinished();
      return records;
    },
    get unreadBytes() {
      return files.reduce((sum, file) => sum + file.unreadBytes, 0);
    },
    get droppedCount() {
      return files.reduce((sum, { droppedCount }) => sum + droppedCount, closedDroppedCount);
    },
    hasLostRecords: () => hasClosedLost || files.some((file) => file.hasLostRecords()),
    close() {
      beforeClose?.();
      for (const file of files) file.close();
    },
  };
}

class RecordsOfFile {
  readonly descriptor: number;
  readonly #decoder = new StringDecoder('utf8');
  #offset = 0;
  /** Of the file at the last `read`. */
  #size = 0;
  #unfinished = '';
  /** The end of a line that is too long is awaited. */
  #isTooLong = false;
  #droppedCount = 0;
  #finishedAt: number | undefined;

  readonly #change: (record: ChannelRecord) => ChannelRecord;

  constructor(descriptor: number, change = (record: ChannelRecord): ChannelRecord => record) {
    this.descriptor = descriptor;
    this.#change = change;
  }

  /** Whether it is finished, and nothing is left of it. */
  get isRead(): boolean {
    const hasFinished = this.#finishedAt !== undefined && performance.now() - this.#finishedAt > FINISHED_MS;
    return hasFinished && this.#currentSize() <= this.#offset;
  }

  finish(): void {
    this.#finishedAt ??= performance.now();
  }

  get droppedCount(): number {
    return this.#droppedCount;
  }

  get unreadBytes(): number {
    return Math.max(0, this.#size - this.#offset);
  }

  #currentSize(): number {
    return fstatSync(this.descriptor).size;
  }

  read(): ChannelRecord[] {
    const records: ChannelRecord[] = [];
    this.#size = this.#currentSize();
    let left = Math.min(this.unreadBytes, MAX_READ_BYTES);
    const buffer = left === 0 ? undefined : Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
    while (left > 0 && buffer) {
      const size = this.#readInto(buffer.subarray(0, left));
      if (size === 0) break; // it was truncated
      this.#offset += size;
      left -= size;
      this.#take(this.#decoder.write(buffer.subarray(0, size)), records);
    }
    return records;
  }

  hasLostRecords(): boolean {
    return (fstatSync(this.descriptor).mode & 0o777) === MODE_RECORDS_LOST;
  }

  close(): void {
    closeSync(this.descriptor);
  }

  #readInto(buffer: Buffer): number {
    try {
      return readSync(this.descriptor, buffer, 0, buffer.length, this.#offset);
    } catch {
      return 0; // the disk has failed
    }
  }

  #take(text: string, records: ChannelRecord[]): void {
    const lines = text.split('\n');
    for (const [index, part] of lines.entries()) {
      this.#isTooLong ||= this.#unfinished.length + part.length > MAX_LINE;
      if (this.#isTooLong) this.#unfinished = '';
      else this.#unfinished += part;
      if (index === lines.length - 1) return;
      const isEmpty = this.#unfinished === '' && !this.#isTooLong;
      const record = this.#isTooLong ? undefined : parseRecord(this.#unfinished);
      if (record) records.push(this.#change(record));
      else if (!isEmpty) this.#droppedCount++;
      this.#unfinished = '';
      this.#isTooLong = false;
    }
  }
}
