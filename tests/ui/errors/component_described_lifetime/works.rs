use strata_ecs::component::Describe;

#[derive(Describe)]
struct Label {
    text: String,
}

fn main() {
    println!("{}", Label { text: "a".into() }.text);
}
