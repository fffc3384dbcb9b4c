import { messageOf } from '@tidemark/errors';
import ExifReader from 'exifreader';
import { imageSize } from 'image-size';
import { BrokenDocument, type DocumentContent, type DocumentInput, defined } from './model/document.ts';
import { VALUE_CHARS } from './model/thresholds.ts';
import { definitions, heading } from './model/write-html.ts';

/** Names of image metadata and the tags that contain it, most reliable first. */
const TAG_NAMES: readonly (readonly [string, readonly string[]])[] = [
  ['Title', ['Object Name', 'title', 'Title', 'DocumentName']],
  ['Description', ['ImageDescription', 'Caption/Abstract', 'description', 'Description', 'UserComment', 'Comment']],
  ['Author', ['Artist', 'By-line', 'creator', 'Author']],
  ['Copyright', ['Copyright', 'Copyright Notice', 'rights']],
  ['Taken', ['DateTimeOriginal', 'DateTimeDigitized', 'DateTime', 'Creation Time']],
  ['Camera', ['Model']],
  ['Maker', ['Make']],
  ['Lens', ['LensModel']],
  ['Exposure', ['ExposureTime']],
  ['Aperture', ['FNumber']],
  ['Sensitivity', ['ISOSpeedRatings', 'PhotographicSensitivity']],
  ['Focal length', ['FocalLength']],
  ['Software', ['Software', 'CreatorTool']],
  ['Keywords', ['Keywords', 'subject']],
];

/** Reads an image's metadata: format and size, and the tags of cameras and editors. */
export async function readImage({ bytes }: DocumentInput): Promise<DocumentContent> {
  const { type = '', width, height } = measured(bytes);
  const tags = tagsOf(bytes);
  const named = TAG_NAMES.flatMap(([name, from]): [string, string][] => {
    const value = from.map((tag) => tags.get(tag) ?? '').find((each) => each !== '') ?? '';
    return value === '' ? [] : [[name, name === 'Taken' ? isoDate(value) : value]];
  });
  const fieldText = new Map(named);
  const title = fieldText.get('Title') ?? '';
  const format = type === 'jpg' ? 'jpeg' : type;
  const place = placeOf(tags);
  const rest = named.filter(([name]) => name !== 'Title');
  const size: [string, string][] = [
    ['Format', format],
    ['Size', `${width} × ${height} pixels`],
  ];
  return {
    html: heading(1, title) + definitions([...rest, ...place, ...size]),
    ...(title === '' ? {} : { title }),
    properties: {
      kind: 'image',
      format,
      width,
      height,
      ...defined({
        author: fieldText.get('Author'),
        created: fieldText.get('Taken'),
        keywords: fieldText.get('Keywords'),
      }),
    },
    notes: [],
  };
}

function measured(bytes: Uint8Array): { type?: string; width: number; height: number } {
  try {
    const { type, width, height } = imageSize(bytes);
    if (!(width > 0 && height > 0)) throw new Error('the picture has no size');
    return { ...(type === undefined ? {} : { type }), width, height };
  } catch (error) {
    throw new BrokenDocument(messageOf(error));
  }
}

/** Returns the tags as text; empty if they cannot be read. */
function tagsOf(bytes: Uint8Array): Map<string, string> {
  try {
    const tags: object = ExifReader.load(Buffer.from(bytes));
    return new Map(Object.entries(tags).map(([name, tag]: [string, unknown]) => [name, described(tag)]));
  } catch {
    return new Map();
  }
}

function described(tag: unknown): string {
  const value: unknown = Array.isArray(tag) ? tag.map(described).join(', ') : tag;
  if (typeof value === 'string') return value.slice(0, VALUE_CHARS);
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'description') : undefined;
  if (typeof text !== 'string' && typeof text !== 'number') return '';
  return String(text).replace(/\0/g, '').trim().slice(0, VALUE_CHARS);
}

/** `2024:02:29 12:00:00`, without a time zone: Exif 3.0, DateTime */
const isoDate = (text: string): string => text.replace(/^(\d{4}):(\d\d):(\d\d)/, '$1-$2-$3');

function placeOf(tags: ReadonlyMap<string, string>): [string, string][] {
  const [latitude, longitude] = [tags.get('GPSLatitude') ?? '', tags.get('GPSLongitude') ?? ''];
  if (latitude === '' || longitude === '') return [];
  const signed = (value: string, reference: string): string =>
    /^[SW]/.test(tags.get(reference) ?? '') && !value.startsWith('-') ? `-${value}` : value;
  return [['Place', `${signed(latitude, 'GPSLatitudeRef')}, ${signed(longitude, 'GPSLongitudeRef')}`]];
}
