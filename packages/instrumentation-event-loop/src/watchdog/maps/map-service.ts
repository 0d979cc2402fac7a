import type { MapMailboxes } from '../../contract/map-mailboxes.js';
import { answerText, parseQuestions, type FrameAnswer, type FrameQuestion } from '../../contract/map-text.js';
import type { Pieces } from './json-scan.js';
import { mapFrames, openMappedFiles, pathOfFile, type MappedFile } from './map-frames.js';

export interface MapServiceOptions {
  readonly mailboxes: Pick<MapMailboxes, 'questions' | 'questionIn' | 'answer'>;
  readonly isLive: (slotIndex: number, generation: number) => boolean;
  /** On any clock. */
  readonly now: () => number;
  /** When the process started, ms of the epoch. */
  readonly startedAtMs: number;
  /** Where Jest keeps what it has compiled, in a process of Jest. */
  readonly jestCache: string | undefined;
  /** Calls back in the next iteration of the watchdog's event loop. */
  readonly defer: (callback: () => void) => void;
}

/** Longest work at a time, ms: between two pieces, the watchdog looks at the threads. */
const SLICE_MS = 4;
/** Longest work on the map of one file, ms. */
const MAX_WORK_MS = 10_000;
/** A large file is read again for positions that are not known yet; not before so many times the work it took, ms. */
const REST_FACTOR = 10;
/** Bytes of files and maps that are kept. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
/** Files without a map, or with a large one, that are remembered. */
const MAX_FILES = 1000;

interface KnownFile {
  /** Undefined where they are not kept: they are read again, but not before `restUntil`. */
  readonly files: readonly MappedFile[] | undefined;
  readonly isUseless: boolean;
  readonly byteLength: number;
  readonly restUntil: number;
}

/**
 * Answers where frames of generated code come from. It works in pieces on the watchdog's event loop, one question after
 * the other.
 */
export class MapService {
  readonly #options: MapServiceOptions;
  /** Least recently used first. */
  readonly #files = new Map<string, KnownFile>();
  #keptBytes = 0;
  #current: { readonly box: number; readonly work: Pieces<string> } | undefined;

  constructor(options: MapServiceOptions) {
    this.#options = options;
  }

  /** Whether there is work: the watchdog must not block its event loop then. */
  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Called each time that the watchdog has looked at the threads. */
  look(): void {
    if (this.#current) return;
    const { mailboxes, isLive, defer } = this.#options;
    const [box] = mailboxes.questions(isLive);
    if (box === undefined) return;
    this.#current = { box, work: this.#answer(parseQuestions(mailboxes.questionIn(box))) };
    defer(this.#go);
  }

  readonly #go = (): void => {
    if (!this.#current) return;
    const { mailboxes, now, defer } = this.#options;
    const { box, work } = this.#current;
    try {
      for (const until = now() + SLICE_MS; ;) {
        const { done, value } = work.next();
        if (done === true) {
          mailboxes.answer(box, value);
          break;
        }
        if (now() < until) continue;
        defer(this.#go);
        return;
      }
    } catch {
      mailboxes.answer(box, ''); // no file has done this: what is not known stays as it is
    }
    this.#current = undefined;
    this.look();
  };

  *#answer(questions: readonly FrameQuestion[]): Pieces<string> {
    const answers = new Map<FrameQuestion, FrameAnswer>();
    for (const [fileName, ofFile] of groupByFile(questions)) {
      const answered = yield* this.#limited(this.#answerFile(fileName, ofFile));
      for (const [i, question] of ofFile.entries()) answers.set(question, answered?.[i] ?? unproved(question));
    }
    return questions.map((question) => answerText(answers.get(question)!)).join('');
  }

  *#answerFile(fileName: string, questions: readonly FrameQuestion[]): Pieces<FrameAnswer[] | undefined> {
    const filePath = pathOfFile(fileName);
    if (filePath === undefined) return undefined;
    const { now, startedAtMs, jestCache } = this.#options;
    const startedAt = now();
    const known = this.#files.get(filePath);
    if (known?.isUseless === true) return undefined;
    if (known && !known.files && startedAt < known.restUntil) return questions.map(() => 'later');
    // Until it is answered, it counts as useless: work without end is not begun again.
    this.#remember(filePath, { files: undefined, isUseless: true, byteLength: 0, restUntil: 0 });
    const files = known?.files ?? (yield* openMappedFiles(filePath, startedAtMs, jestCache));
    if (files.length === 0) return undefined;
    const answers = yield* mapFrames(files, questions);
    const byteLength = files.reduce((sum, file) => sum + file.byteLength, 0);
    const isKept = byteLength <= MAX_KEPT_BYTES;
    this.#remember(filePath, {
      files: isKept ? files : undefined,
      isUseless: false,
      byteLength: isKept ? byteLength : 0,
      restUntil: now() + REST_FACTOR * (now() - startedAt),
    });
    return answers;
  }

  /** Ends what takes too long. */
  *#limited<T>(work: Pieces<T>): Pieces<T | undefined> {
    const { now } = this.#options;
    for (const until = now() + MAX_WORK_MS; ;) {
      const { done, value } = work.next();
      if (done === true) return value;
      if (now() > until) return undefined;
      yield;
    }
  }

  #remember(filePath: string, file: KnownFile): void {
    this.#forget(filePath);
    this.#files.set(filePath, file);
    this.#keptBytes += file.byteLength;
    // A file that is read again and again, because others take its place, rests as one does that is too large.
    for (const [path, known] of this.#files) {
      if (this.#keptBytes <= MAX_KEPT_BYTES) break;
      this.#keptBytes -= known.byteLength;
      this.#files.set(path, { ...known, files: undefined, byteLength: 0 });
    }
    while (this.#files.size > MAX_FILES) this.#forget(this.#files.keys().next().value!);
  }

  #forget(filePath: string): void {
    this.#keptBytes -= this.#files.get(filePath)?.byteLength ?? 0;
    this.#files.delete(filePath);
  }
}

function groupByFile(questions: readonly FrameQuestion[]): Map<string, FrameQuestion[]> {
  const groups = new Map<string, FrameQuestion[]>();
  for (const question of questions) {
    const group = groups.get(question.fileName);
    if (group) group.push(question);
    else groups.set(question.fileName, [question]);
  }
  return groups;
}

/** Of a file that cannot be read, or was written after the start: code that may be compiled is not proved to be its text. */
function unproved({ scriptHash }: FrameQuestion): FrameAnswer {
  return scriptHash === undefined ? 'none' : 'compiled';
}
