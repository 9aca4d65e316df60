/**
 * Functions that a query may call: they compute from what they are given, and neither sleep, nor read files or
 * settings, nor make long texts of short ones. All are of `pg_catalog`.
 */
export const harmlessFunctions: ReadonlySet<string> = new Set(
  [
    'count sum avg min max string_agg array_agg bool_and bool_or every stddev stddev_pop stddev_samp variance var_pop',
    'var_samp corr percentile_cont percentile_disc mode',
    'row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value',
    'abs ceil ceiling floor round trunc sign sqrt power exp ln log mod div degrees radians sin cos tan asin acos atan',
    'atan2 pi',
    'lower upper initcap length char_length character_length octet_length trim btrim ltrim rtrim substring substr',
    'position strpos left right replace concat concat_ws split_part starts_with reverse overlay like_escape',
    'similar_to_escape',
    'now date_trunc date_part extract age make_date to_char to_date to_timestamp timezone',
    'array_length cardinality jsonb_array_length jsonb_typeof json_array_length json_typeof',
  ].flatMap((line) => line.split(' ')),
);
