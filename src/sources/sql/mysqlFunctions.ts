/**
 * Functions of MySQL and MariaDB that a query may call: they compute from what they are given, and neither sleep, lock,
 * read files or settings, nor make long texts of short ones.
 */
export const harmlessOfMysql: ReadonlySet<string> = new Set(
  [
    'count sum avg min max group_concat stddev stddev_pop stddev_samp variance var_pop var_samp bit_and bit_or',
    'row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value exists',
    'abs ceil ceiling floor round truncate sign sqrt pow power exp ln log log2 log10 mod degrees radians sin cos tan',
    'asin acos atan atan2 pi greatest least coalesce ifnull nullif if isnull',
    'lower upper lcase ucase length char_length character_length octet_length trim ltrim rtrim substring substr left',
    'right replace concat concat_ws substring_index locate instr position reverse field find_in_set strcmp',
    'now curdate curtime current_date current_time current_timestamp date time year quarter month week day dayofmonth',
    'dayofweek dayofyear weekday hour minute second date_format date_add date_sub datediff timestampdiff last_day',
    'str_to_date makedate',
    'json_length json_type json_extract json_unquote json_valid',
  ].flatMap((line) => line.split(' ')),
);
