import type { FrameOrigin, GeneratedFrame } from './frame-origin.js';

/** A frame whose source the watchdog is asked for. */
export interface FrameQuestion extends GeneratedFrame {
  readonly fileName: string;
}

/** `compiled`: the file on the disk is not the code that runs. `later`: its file is not read again yet. */
export type FrameAnswer = FrameOrigin | 'none' | 'compiled' | 'later';

/** No name contains it; one that does is left out. */
const SEPARATOR = '\u001E';
const QUESTION_FIELDS = 8;
const ANSWER_FIELDS = 7;
/** Characters of a file name or a function name. */
const MAX_TEXT = 2048;

/** Undefined for a frame that the text cannot contain. */
export function questionText(frame: FrameQuestion): string | undefined {
  const { fileName, functionName, lineNumber, columnNumber, functionLineNumber, functionColumnNumber } = frame;
  if (!isContainable(fileName) || !isContainable(functionName)) return undefined;
  const isEvaluated = frame.evaluated !== undefined ? 1 : 0;
  const numbers = `${lineNumber}${SEPARATOR}${columnNumber}${SEPARATOR}${functionLineNumber}${SEPARATOR}${functionColumnNumber}`;
  return `${fileName}${SEPARATOR}${functionName}${SEPARATOR}${numbers}${SEPARATOR}${isEvaluated}${SEPARATOR}${frame.scriptHash ?? ''}${SEPARATOR}`;
}

export function parseQuestions(text: string): FrameQuestion[] {
  const fields = text.split(SEPARATOR);
  const questions: FrameQuestion[] = [];
  for (let at = 0; at + QUESTION_FIELDS < fields.length; at += QUESTION_FIELDS) {
    questions.push({
      fileName: fields[at]!,
      functionName: fields[at + 1]!,
      lineNumber: Number(fields[at + 2]),
      columnNumber: Number(fields[at + 3]),
      functionLineNumber: Number(fields[at + 4]),
      functionColumnNumber: Number(fields[at + 5]),
      ...(fields[at + 6] === '1' && { evaluated: { isAtEntry: false } }),
      ...(fields[at + 7] !== '' && { scriptHash: fields[at + 7] }),
    });
  }
  return questions;
}

export function answerText(answer: FrameAnswer): string {
  const origin = typeof answer === 'string' ? { ...NO_ORIGIN, calleeName: answer } : answer;
  const { fileName, functionName, calleeName, ...numbers } = isOriginContainable(origin) ? origin : NO_ORIGIN;
  const { lineNumber, columnNumber, functionLineNumber, functionColumnNumber } = numbers;
  return `${[fileName, functionName, calleeName, lineNumber, columnNumber, functionLineNumber, functionColumnNumber].join(SEPARATOR)}${SEPARATOR}`;
}

/** One answer for each question, in their order; fewer where the text ends before. */
export function parseAnswers(text: string): FrameAnswer[] {
  const fields = text.split(SEPARATOR);
  const answers: FrameAnswer[] = [];
  for (let at = 0; at + ANSWER_FIELDS < fields.length; at += ANSWER_FIELDS) {
    const origin = {
      fileName: fields[at]!,
      functionName: fields[at + 1]!,
      calleeName: fields[at + 2]!,
      lineNumber: Number(fields[at + 3]),
      columnNumber: Number(fields[at + 4]),
      functionLineNumber: Number(fields[at + 5]),
      functionColumnNumber: Number(fields[at + 6]),
    };
    const { fileName, calleeName } = origin;
    if (fileName !== '') answers[answers.length] = origin;
    else answers[answers.length] = calleeName === 'compiled' || calleeName === 'later' ? calleeName : 'none';
  }
  return answers;
}

const NO_ORIGIN: FrameOrigin = {
  fileName: '',
  functionName: '',
  calleeName: '',
  lineNumber: 0,
  columnNumber: 0,
  functionLineNumber: 0,
  functionColumnNumber: 0,
};

function isOriginContainable({ fileName, functionName, calleeName }: FrameOrigin): boolean {
  return isContainable(fileName) && isContainable(functionName) && isContainable(calleeName);
}

function isContainable(text: string): boolean {
  return text.length <= MAX_TEXT && !text.includes(SEPARATOR);
}
