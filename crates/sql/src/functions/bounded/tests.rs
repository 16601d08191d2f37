//! Estimates against what functions make.

use arrow::{
    array::{
        Int64Array, ListBuilder, PrimitiveBuilder, StringArray, StringBuilder,
        TimestampMicrosecondArray,
    },
    datatypes::{Field, Int64Type},
};
use chess::Random;
use datafusion::execution::SessionStateDefaults;

use super::*;

/// Functions without a bound, and why they need none.
const NARROW: &[(&str, &str)] = &[
    (
        "a number, a truth, a time, a key or a word",
        "abs acos acosh array_any_match array_avg array_dims array_distance array_empty empty \
         array_has array_has_all array_has_any array_length array_max array_min array_ndims \
         array_position array_product array_sum arrow_field arrow_metadata arrow_typeof ascii \
         asin asinh atan atan2 atanh bit_length blake2b blake2s blake3 cardinality cbrt ceil \
         character_length chr contains cos cosh cosine_distance cot current_date current_time \
         date_bin date_part date_trunc degrees digest ends_with exp factorial file_row_index \
         find_in_set floor from_unixtime gcd inner_product input_file_name isnan iszero lcm \
         levenshtein ln log log10 log2 make_date make_time md5 nanvl now octet_length pi power \
         radians random regexp_count regexp_instr regexp_like round sha224 sha256 sha384 sha512 \
         signum sin sinh sqrt starts_with strpos tan tanh to_date to_hex to_local_time to_time \
         to_timestamp to_timestamp_micros to_timestamp_millis to_timestamp_nanos \
         to_timestamp_seconds to_unixtime trunc union_tag uuid version",
    ),
    (
        "an argument or a part of one",
        "array_any_value array_compact array_distinct array_element array_except array_filter \
         array_first array_intersect array_pop_back array_pop_front array_remove \
         array_remove_all array_remove_n array_reverse array_slice array_sort btrim \
         cast_to_type coalesce flatten get_field greatest least left ltrim map_entries \
         map_extract map_keys map_values nullif nvl nvl2 reverse right rtrim split_part substr \
         substr_index try_cast_to_type union_extract with_metadata",
    ),
    (
        "at most a few times as long as an argument",
        "array_add array_normalize array_positions array_scale array_subtract decode encode \
         initcap lower translate upper",
    ),
    ("the columns of its arguments, which are not copied", "named_struct struct"),
];

#[test]
fn every_function_of_datafusion_has_a_bound_or_needs_none() {
    let narrow = |name: &str| {
        NARROW.iter().any(|(_, names)| names.split_whitespace().any(|narrow| narrow == name))
    };
    let bounded = |name: &str| MAKERS.iter().any(|maker| maker.name == name);
    let functions = SessionStateDefaults::default_scalar_functions();
    assert!(functions.len() > 150);
    for function in &functions {
        let name = function.name();
        let count = [bounded(name), narrow(name), CASTS.contains(&name)].map(usize::from);
        assert_eq!(count.iter().sum::<usize>(), 1, "{name}");
    }
    let known = |maker: &&Maker| functions.iter().any(|it| it.name() == maker.name);
    assert_eq!(MAKERS.iter().filter(known).count(), MAKERS.len() - 1, "all but {JOIN}");
}

/// Rows of a call.
const ROWS: usize = 50;

/// Columns for calls.
struct Columns(Random);

impl Columns {
    fn below(&mut self, bound: usize) -> usize {
        (self.0.next() % bound as u64) as usize
    }

    fn text(&mut self, longest: usize) -> Option<String> {
        const LETTERS: [char; 6] = ['a', 'b', 'ü', ',', '€', 'x'];
        let length = self.below(longest);
        let is_there = self.below(8) > 0;
        is_there.then(|| (0..length).map(|_| LETTERS[self.below(LETTERS.len())]).collect())
    }

    /// Texts, of which now and then all are the same.
    fn texts(&mut self, longest: usize) -> ColumnarValue {
        if self.below(4) == 0 {
            return ColumnarValue::Scalar(ScalarValue::Utf8(self.text(longest)));
        }
        let texts: StringArray = (0..ROWS).map(|_| self.text(longest)).collect();
        ColumnarValue::Array(Arc::new(texts))
    }

    fn numbers(&mut self, bound: usize) -> ColumnarValue {
        let numbers: Int64Array = (0..ROWS).map(|_| Some(self.below(bound) as i64)).collect();
        ColumnarValue::Array(Arc::new(numbers))
    }

    fn lists(&mut self) -> ColumnarValue {
        let mut lists = ListBuilder::new(PrimitiveBuilder::<Int64Type>::new());
        for _ in 0..ROWS {
            for _ in 0..self.below(12) {
                let number = self.below(5) as i64;
                lists.values().append_option((number > 0).then_some(number));
            }
            lists.append(self.below(9) > 0);
        }
        ColumnarValue::Array(Arc::new(lists.finish()))
    }

    fn lists_of_texts(&mut self) -> ColumnarValue {
        let mut lists = ListBuilder::new(StringBuilder::new());
        for _ in 0..ROWS {
            for _ in 0..self.below(9) {
                let text = ["a", "bb", ""].get(self.below(4));
                lists.values().append_option(text);
            }
            lists.append(true);
        }
        ColumnarValue::Array(Arc::new(lists.finish()))
    }
}

/// A call of each function.
fn calls(random: &mut Columns) -> Vec<(&'static str, Vec<ColumnarValue>)> {
    let one = |text: &str| ColumnarValue::Scalar(ScalarValue::Utf8(Some(text.to_owned())));
    let days: Vec<i64> = (0..ROWS as i64).map(|day| day * 86_400_000_000_007).collect();
    let days = ColumnarValue::Array(Arc::new(TimestampMicrosecondArray::from(days)));
    let [s, t, long] = [60, 60, 100].map(|longest| random.texts(longest));
    let (short, n, m) = (random.texts(5), random.numbers(40), random.numbers(90));
    let (l, other, texts) = (random.lists(), random.lists(), random.lists_of_texts());
    let calls: Vec<(&str, Vec<&ColumnarValue>)> = vec![
        ("repeat", vec![&s, &n]),
        ("lpad", vec![&s, &m, &short]),
        ("lpad", vec![&s, &m]),
        ("rpad", vec![&s, &m, &short]),
        ("replace", vec![&s, &short, &t]),
        ("overlay", vec![&s, &t, &n]),
        ("overlay", vec![&s, &long, &n, &n]),
        ("concat", vec![&s, &t, &s]),
        ("concat_ws", vec![&short, &s, &t, &long]),
        (JOIN, vec![&s, &t]),
        ("make_array", vec![&s, &t, &long]),
        ("make_array", vec![&l, &other]),
        ("array_concat", vec![&l, &other, &l]),
        ("array_append", vec![&l, &n]),
        ("array_append", vec![&texts, &long]),
        ("array_prepend", vec![&n, &l]),
        ("array_union", vec![&l, &other]),
        ("arrays_zip", vec![&l, &texts, &other]),
        ("array_replace", vec![&texts, &short, &long]),
        ("array_replace_all", vec![&texts, &short, &long]),
        ("array_replace_n", vec![&texts, &short, &long, &n]),
        ("array_repeat", vec![&long, &n]),
        ("array_repeat", vec![&l, &n]),
        ("array_resize", vec![&l, &m, &n]),
        ("array_resize", vec![&texts, &m, &long]),
        ("array_to_string", vec![&l, &short]),
        ("array_to_string", vec![&texts, &long, &t]),
        ("string_to_array", vec![&s, &short]),
        ("range", vec![&n, &m]),
        ("generate_series", vec![&n, &m]),
    ];
    let mut calls: Vec<(&str, Vec<ColumnarValue>)> =
        calls.into_iter().map(|(name, args)| (name, args.into_iter().cloned().collect())).collect();
    calls.extend([
        ("regexp_replace", vec![s.clone(), one("[ab]|"), t, one("g")]),
        ("regexp_replace", vec![s.clone(), one("(.*)"), one("\\1-\\1x\\0\\0")]),
        ("regexp_replace", vec![s.clone(), one("((.))"), one("\\1\\2$1"), one("g")]),
        ("regexp_match", vec![s.clone(), one("((((.*)b?)))(a)?")]),
        ("replace", vec![s.clone(), one("a"), long.clone()]),
        ("array_replace_all", vec![texts, one("a"), long]),
        ("string_to_array", vec![s, one("")]),
        ("to_char", vec![days, one("%c %A %Y")]),
        ("map", vec![range(&n), range(&n)]),
    ]);
    calls
}

/// Lists without an element twice.
fn range(numbers: &ColumnarValue) -> ColumnarValue {
    call(&function("range").0, vec![numbers.clone()]).expect("a range")
}

fn function(name: &str) -> (ScalarUDF, &'static Maker) {
    let all = SessionStateDefaults::default_scalar_functions().into_iter();
    let function = all.map(|function| function.as_ref().clone()).find(|it| it.name() == name);
    let joined = || ScalarUDF::new_from_impl(JoinedTexts::new());
    let maker = MAKERS.iter().find(|maker| maker.name == name).expect("a maker");
    (function.unwrap_or_else(joined), maker)
}

fn arguments(function: &ScalarUDF, args: Vec<ColumnarValue>) -> Result<ScalarFunctionArgs> {
    let field = |arg: &ColumnarValue| Arc::new(Field::new("it", arg.data_type(), true));
    let arg_fields: Vec<FieldRef> = args.iter().map(field).collect();
    let scalar = |arg: &ColumnarValue| match arg {
        ColumnarValue::Scalar(scalar) => Some(scalar.clone()),
        ColumnarValue::Array(_) => None,
    };
    let scalars: Vec<Option<ScalarValue>> = args.iter().map(scalar).collect();
    let scalar_arguments: Vec<Option<&ScalarValue>> = scalars.iter().map(Option::as_ref).collect();
    let given = ReturnFieldArgs { arg_fields: &arg_fields, scalar_arguments: &scalar_arguments };
    let return_field = function.return_field_from_args(given)?;
    let config_options = Arc::new(ConfigOptions::default());
    Ok(ScalarFunctionArgs { args, arg_fields, number_rows: ROWS, return_field, config_options })
}

fn call(function: &ScalarUDF, args: Vec<ColumnarValue>) -> Result<ColumnarValue> {
    function.invoke_with_args(arguments(function, args)?)
}

#[test]
fn no_function_makes_more_than_is_estimated() {
    let mut compared = HashMap::new();
    for seed in 1..=100 {
        for (name, args) in calls(&mut Columns(Random::new(seed))) {
            let (inner, maker) = function(name);
            let given = arguments(&inner, args.clone()).unwrap();
            let (estimate, rows) = estimate(maker, &given).unwrap();
            // Numbers may be too large for a call, and text may be no pattern.
            let Ok(whole) = call(&inner, args) else { continue };
            let whole = whole.into_array(rows).unwrap();
            let made = weight(&whole);
            assert!(made <= estimate, "seed {seed}: {name} made {made}, estimated {estimate}");
            *compared.entry(name).or_insert(0) += 1;
            // As much as is made is enough unless even a row may be too much, and then nothing is
            // lost by making it in parts.
            let bounded = |most: u128| Bounded {
                inner: inner.clone(),
                memory_limit: usize::try_from(most).unwrap() * SHARE,
            };
            match bounded(made).invoke(maker, given.clone()) {
                Ok(parts) => assert_eq!(&parts.into_array(rows).unwrap(), &whole, "{name}"),
                Err(error) => assert!(error.to_string().contains("in one call"), "{name}: {error}"),
            }
            if made > 0 {
                let error = bounded(made - 1).invoke(maker, given).unwrap_err();
                assert!(error.to_string().contains("in one call"), "{name}: {error}");
            }
        }
    }
    for maker in MAKERS {
        let count = compared.get(maker.name).copied().unwrap_or(0);
        assert!(count >= 30, "{} was compared {count} times", maker.name);
    }
}
